"""Pictures and words of float8 and of blocks."""

import numpy as np
import pytest

from qviz.doctor import Case, examined
from qviz.figures.doctor import picture
from qviz.figures.doctor_facts import facts_of
from qviz.figures.doctor_formats import clipped_picture
from qviz.figures.doctor_words import MOST, consequence
from qviz.figures.theme import LIGHT
from tests.unit.doctor.generators import normal


def seen(x, stored_as):
    """The finding of the format, and what its picture may show."""
    case = Case.of(x, stored_as=stored_as)
    rules = ("FP8-OVERFLOW", "MX-CLIPPED")
    (finding,) = [f for f in examined(case).findings if f.rule in rules]
    return finding, facts_of(case)


def test_what_float8_does_not_reach_is_shaded():
    finding, facts = seen(200 * normal(), "float8_e4m3fn")
    figure = picture(finding, facts, LIGHT)
    shapes = figure["layout"]["shapes"]
    inner = [(s["x0"], s["x1"]) for s in shapes if s["type"] == "rect"]
    assert inner[0][1] == -448 and inner[1][0] == 448
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts == ["<b>codes reach −448</b>", "<b>codes reach 448</b>"]


def test_where_values_only_become_0_the_smallest_number_is_marked():
    finding, facts = seen(0.01 * normal(), "float8_e4m3fn")
    figure = picture(finding, facts, LIGHT)
    (mark,) = [s for s in figure["layout"]["shapes"] if s["type"] == "line" and s["x0"] > 0]
    assert mark["x0"] == 2**-9
    assert not [s for s in figure["layout"]["shapes"] if s["type"] == "rect"]


def test_clipped_blocks_are_orange_bars_right_of_the_largest_number():
    finding, facts = seen(normal(64, 64), "mxfp4_e2m1")
    figure = picture(finding, facts, LIGHT)
    assert figure == clipped_picture(finding, facts, LIGHT)
    (bars,) = figure["data"]
    orange = np.array(bars["marker"]["color"]) == LIGHT.highlights[1]
    x, y = np.array(bars["x"]), np.array(bars["y"])
    assert (orange == (x > 6)).all() and (x[0], x[-1]) == (4.125, 7.875)
    assert y.sum() == 128 and y[orange].sum() == finding.evidence["clipped"]
    (line,) = figure["layout"]["shapes"]
    assert line["x0"] == line["x1"] == 6


@pytest.mark.parametrize(
    ("x", "stored_as", "words"),
    [
        (
            [896.0, 1, 1, 1],
            "float8_e4m3fn",
            "25 % of the values lie beyond 448, the largest number of float8_e4m3fn",
        ),
        (
            [1e-9, 1],
            "float8_e5m2fnuz",
            "50 % of the values other than 0 become 0 in float8_e5m2fnuz",
        ),
        (
            [[7.5] * 32, [4.0] * 32],
            "mxfp4_e2m1",
            "50 % of the blocks clip their largest element, by up to 20 %",
        ),
    ],
)
def test_what_it_comes_to(x, stored_as, words):
    said = consequence(seen(np.array(x), stored_as)[0])
    assert said == words and len(said) <= MOST
