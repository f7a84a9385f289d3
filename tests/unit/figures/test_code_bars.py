import numpy as np
import pytest

from qviz.figures.code_bars import code_bars
from qviz.figures.theme import CLEAR, DARK, LIGHT
from tests.unit.figures.small import drawable, payload

COUNTS = np.array([5, 0, 1000, 1])  # of the codes -2, -1, 0, 1


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_used_codes_are_filled_and_the_others_hollow(palette):
    used, unused = code_bars(-2, COUNTS, palette)["data"]
    assert (used["x"], used["y"], used["customdata"]) == ([-2, 0, 1], [5, 1000, 1], [-2, 0, 1])
    assert used["marker"]["color"] == palette.fill
    assert (unused["x"], unused["customdata"]) == ([-1], [-1])
    assert unused["marker"]["color"] == CLEAR and "no value" in unused["hovertemplate"]
    assert 0.7 < unused["y"][0] < 5


def test_scale_and_zero_point_decode_the_axis():
    figure = drawable(code_bars(-2, COUNTS, LIGHT, scale=0.5, zero_point=1))
    used, unused = figure["data"]
    assert used["x"] == (-1.5, -0.5, 0.0) and unused["x"] == (-1.0,)
    assert used["customdata"] == (-2, 0, 1)
    assert used["width"] == unused["width"] == 0.45
    assert figure["layout"]["xaxis"]["title"]["text"] == "scale · (code − zero point)"
    low, high = figure["layout"]["xaxis"]["range"]
    assert (low, high) == pytest.approx((-1.8, 0.3))


def test_without_a_scale_the_axis_shows_codes():
    axis = code_bars(7, np.array([3]), LIGHT)["layout"]["xaxis"]
    assert axis["title"]["text"] == "code" and axis["range"] == pytest.approx([6.4, 7.6])


def test_the_payload_of_256_codes():
    many = np.arange(256) % 3 * 100_000
    assert payload(code_bars(-128, many, LIGHT, scale=0.0123456789, zero_point=3)) < 16_000
