import re
from xml.etree import ElementTree

import numpy as np

from qviz.figures.sparkline import BARS, HEIGHT, WIDTH, sparkline
from qviz.figures.theme import DARK, LIGHT
from qviz.stats.gather import gather
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream


def drawn(x, palette=LIGHT):
    tile = Stream.of(np.asarray(x, np.float32)).tiles[0]
    return sparkline(gather(tile, (Sketch(16),))[Sketch(16)].cells, palette)


def heights(svg):
    """Height of each bar, read off the first path."""
    path = ElementTree.fromstring(svg)[0].attrib["d"]
    return [HEIGHT - 1 - float(y) for y in re.findall(r"V([\d.]+)H", path)]


def test_bars_grow_with_the_logarithm_of_the_count():
    tall = heights(drawn(np.repeat([0.0, 1.0, 2.0], [1000, 30, 0])))
    assert len(tall) == BARS
    assert max(tall) == HEIGHT - 5
    first, last = (next(t for t in part if t) for part in (tall, tall[::-1]))
    assert abs(last / first - np.log1p(30) / np.log1p(1000)) < 0.01


def test_zero_is_marked_where_it_is_in_view():
    svg = drawn(np.linspace(-1, 3, 101))
    dashed = [p for p in ElementTree.fromstring(svg) if "stroke-dasharray" in p.attrib]
    assert len(dashed) == 1
    x = float(re.match(r"M([\d.]+) ", dashed[0].attrib["d"])[1])
    assert abs(x / WIDTH - 0.25) < 0.02
    assert "dasharray" not in drawn(np.linspace(1, 3, 101))


def test_it_holds_numbers_only_and_is_small():
    svg = drawn(np.linspace(-1, 3, 10_001), DARK)
    assert len(svg) < 1_800
    assert DARK.fill in svg
    assert "<text" not in svg
