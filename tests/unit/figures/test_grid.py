"""The grid picture: its traces, shades, brackets and words; what is sent."""

import itertools

import numpy as np
import pytest

from qviz.figures.grid import around, bins_in_view, quantization_grid, window
from qviz.figures.theme import DARK, LIGHT
from qviz.quantizers.affine import typed
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec, Range
from tests.unit.figures.grids import data
from tests.unit.figures.small import drawable, payload, texts

MOST = 60_000  # bytes


def panel(figure, axis):
    return [t for t in figure["data"] if t.get("yaxis", "y") == axis]


def shades(figure):
    return [(s["x0"], s["x1"]) for s in figure["layout"]["shapes"] if s["type"] == "rect"]


def test_clipped_zones_are_shaded_on_all_four_panels():
    figure = quantization_grid(data(), LIGHT, (0.1, 0.2))
    drawable(figure)
    # -1.5 goes to -2, the first to stay is the next float; 2.5 goes to 2, the next is clipped
    low, high = (float(np.nextafter(np.float32(v), np.float32(9))) for v in (-1.5, 2.5))
    assert shades(figure) == [(-3.0, low)] * 4 + [(high, 4.0)] * 4
    domains = [figure["layout"][f"yaxis{i}"]["domain"] for i in ("", 2, 3, 4)]
    rects = [s for s in figure["layout"]["shapes"] if s["type"] == "rect"]
    assert [[s["y0"], s["y1"]] for s in rects[:4]] == domains
    assert "clipped<br>10 %" in texts(figure) and "clipped<br>20 %" in texts(figure)
    assert "nothing<br>to clip" in texts(quantization_grid(data(), LIGHT))


def test_brackets_hold_what_was_asked_for_and_what_is_covered():
    figure = quantization_grid(data(asked=(-1.2, 1.9)), LIGHT)
    covered, asked = panel(figure, "y5")
    assert (covered["x"][0], covered["x"][-1]) == (-1.0, 2.0)
    assert (asked["x"][0], asked["x"][-1]) == (-1.2, 1.9)
    assert {"−1.2", "1.9", "−1", "2"} <= set(texts(figure))
    assert figure["layout"]["yaxis5"]["ticktext"] == ["covered", "asked for"]
    assert len(panel(quantization_grid(data(), LIGHT), "y5")) == 1
    assert panel(quantization_grid(data(view=(0.0, 1.5)), LIGHT), "y5") == []


def test_ends_that_differ_are_told_apart():
    figure = quantization_grid(data(typed(1.0, 1, 0, 3), asked=(-1.0, 1.9999)), LIGHT)
    assert {"1.9999", "2"} <= set(texts(figure))


def test_words_on_levels_and_rounding():
    said = texts(quantization_grid(data(), LIGHT))
    assert "4 levels, 3 steps of 1" in said and "rounding: ±0.5" in said


def test_all_share_one_axis_and_do_not_overlap():
    layout = quantization_grid(data(asked=(-1.0, 2.0)), LIGHT)["layout"]
    assert layout["xaxis"]["range"] == [-3.0, 4.0]
    domains = [layout[f"yaxis{i}"]["domain"] for i in (5, "", 2, 3, 4)]
    assert domains[0][1] == 1 and domains[-1][0] == pytest.approx(0, abs=1e-9)
    for upper, lower in itertools.pairwise(domains):
        assert lower[1] < upper[0]


@pytest.mark.parametrize("bits", [2, 4, 8, 12, 16])
def test_what_is_sent_stays_small(bits):
    x = np.random.default_rng(0).normal(size=20_000)
    grid = typed(8 / 2**bits, 2 ** (bits - 1), 0, 2**bits - 1)
    figure = quantization_grid(data(grid, (-6.0, 6.0), (-4, 4), x, 300), DARK)
    drawable(figure)
    assert 3_000 < payload(figure) < MOST


@pytest.mark.parametrize("name", QUANTIZERS)
@pytest.mark.parametrize("spec", [QuantSpec(4), QuantSpec(8, signed=True, symmetric=True)])
def test_every_rule_can_be_drawn(name, spec):
    target = Target.of(spec, mode=name)
    if target.mode.accepts(target):
        assert target.mode.accepts(target).strip()
        return
    with np.errstate(all="ignore"):
        quantizer = target.mode.quantizer(Range(-1.3, 2.1).as_float32(), spec)
    found = data(quantizer, (-3.0, 3.0), (-1.3, 2.1))
    drawable(quantization_grid(found, LIGHT))
    x, y = found.stairs
    middle = ((x[1:] + x[:-1]) / 2)[np.diff(x) > 1e-3].astype(np.float32)
    back = quantizer.fake_quantize(middle[None, :])[0]
    assert np.allclose(np.interp(middle, x, y), back, atol=1e-6)


def test_views():
    assert around((-1.0, 1.0), (-1.5, 0.5)) == (-1.5 - 0.625, 1.0 + 0.625)
    assert around(None, (2.0, 2.0)) == (1.5, 2.5)
    eight = typed(0.5, 0, 0, 255)
    assert window(eight, 16) == (8.0 - 0.25, 16.0 + 0.25)
    assert window(eight, 999) == (119.5 - 0.25, 127.5 + 0.25)


def test_bins_follow_the_number_of_elements():
    assert [bins_in_view(n) for n in (10, 10_000, 10**9)] == [48, 200, 300]
