"""Bits, number line and distances of one element."""

import numpy as np
import pytest

from qviz.figures.theme import DARK, LIGHT
from qviz.figures.why_bits import bit_tiles, part_words
from qviz.figures.why_line import number_line
from qviz.figures.why_ulps import boundary_distance, said
from qviz.pipeline.element_bits import bits_of
from qviz.pipeline.element_ways import Way
from qviz.quantizers.affine import typed
from tests.unit.figures.grids import why
from tests.unit.figures.small import drawable, payload, texts


def test_a_tile_for_each_bit():
    found = why().bits
    (tiles,) = bit_tiles(found, LIGHT)["data"]
    assert "".join(tiles["text"]) == found.text and len(tiles["x"]) == 32
    solid = [color for color in tiles["marker"]["color"] if color.endswith("0.85)")]
    assert len(solid) == found.text.count("1")
    hues = {color.rsplit(",", 1)[0] for color in tiles["marker"]["color"]}
    assert len(hues) == 3
    assert texts(bit_tiles(found, DARK)) == ["sign +", "exponent 2⁻⁵", "mantissa 1.6941177"]
    drawable(bit_tiles(found, DARK))


def test_64_tiles_have_no_digits():
    (tiles,) = bit_tiles(bits_of(np.array([0.1])), LIGHT)["data"]
    assert len(tiles["x"]) == 64 and set(tiles["text"]) == {""}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.nan, "NaN"),
        (-np.inf, "infinite"),
        (0.0, "zero"),
        (1e-40, "below the smallest normal number"),
    ],
)
def test_odd_bits_are_named(value, words):
    sign, _, mantissa = part_words(bits_of(np.float32([value])))
    assert words in mantissa
    assert sign == ("sign −" if value < 0 else "sign +")


def test_the_number_line_of_a_tie():
    found = why()
    figure = number_line(found, LIGHT)
    drawable(figure)
    names = texts(figure)
    assert [t for t in names if t.startswith("code")] == [f"code <b>{c}</b>" for c in range(45, 49)]
    assert {"0.03529", "0.04706", "0.05882", "0.07059", "<b>this element</b>"} <= set(names)
    down, up = (sum(a.goes == way for a in found.answers) for way in ("down", "up"))
    assert {f"<b>{down} rules down</b>", f"<b>{up} rules up</b>"} <= set(names)
    assert figure["data"][0]["x"] == [float(np.float32(0.052941177))]
    dotted = [s for s in figure["layout"]["shapes"] if s["line"].get("dash") == "dot"]
    assert [s["x0"] for s in dotted] == list(found.line.boundaries)
    assert payload(figure) < 20_000


def test_a_clipped_element_stands_at_the_edge():
    figure = number_line(why(9.0), LIGHT)
    (dot,) = figure["data"]
    assert dot["marker"]["symbol"] == "triangle-right"
    assert dot["x"] == [figure["layout"]["xaxis"]["range"][1]]
    assert "<b>this element lies further on</b>" in texts(figure)


def test_what_stands_on_no_number_line():
    assert number_line(why(np.nan), LIGHT) is None
    assert number_line(why(0.3, quantizer=typed(1.0, 0, 0, 1)), LIGHT) is not None


def test_distances():
    found = why()
    figure = boundary_distance(found.ways, LIGHT)
    drawable(figure)
    (marks,) = figure["data"]
    assert marks["x"] == [way.ulps for way in found.ways] and marks["y"] == [0, 1, 2, 3]
    assert figure["layout"]["yaxis"]["ticktext"] == [way.name for way in found.ways]
    assert "boundary at 4.5 steps" in figure["layout"]["xaxis"]["title"]["text"]
    assert payload(figure) < 15_000


def test_words_beside_a_distance():
    assert said(Way("w", 4.5, 4.5, 0.0, 4, 5)) == "<b>on it</b>: even 4, away 5"
    assert said(Way("w", 1.5, 1.5, 0.0, 2, 2)) == "<b>on it</b>: 2"
    assert said(Way("w", 4.49, 4.5, -0.083, 4, 4)) == "−0.083 ulp: rounds to 4"
    assert said(Way("w", 4.6, 4.5, 250_000.0, 5, 5)) == "+0.1 steps"
