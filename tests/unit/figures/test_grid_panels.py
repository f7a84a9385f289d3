"""Traces of the four panels."""

import numpy as np

from qviz.figures.grid_panels import codes, error, error_axis, histogram, staircase
from qviz.figures.theme import CLEAR, LIGHT
from qviz.quantizers.affine import typed
from tests.unit.figures.grids import data


def test_level_lines_up_to_64_levels():
    _, lines, _ = histogram(data(), LIGHT)
    assert [x for x in lines["x"][::3]] == [-1, 0, 1, 2] and lines["x"][2] is None
    many = data(typed(0.02, 128, 0, 255), (-3.0, 3.0))
    assert len(histogram(many, LIGHT)) == 2


def test_columns_to_click_carry_the_centre_of_their_bin():
    *_, columns = histogram(data(), LIGHT)  # 14 bins of one half
    assert columns["customdata"].tolist() == [-0.75, 0.25, 0.75]
    assert columns["text"] == ["2", "2", "1"]  # -1 and -0.9, 0 and 0.4, 0.6
    assert columns["marker"]["color"] == CLEAR


def test_the_identity_lies_under_the_staircase():
    identity, stairs = staircase(data(), LIGHT)
    assert identity["x"] == identity["y"] == [-3.0, 4.0]
    assert stairs["y"].tolist() == [-1, -1, 0, 0, 1, 1, 2, 2]


def test_clipping_is_orange_and_rounding_is_not():
    rounding, below, above = error(data(), LIGHT)
    assert rounding["line"]["color"] == LIGHT.ink
    assert below["line"]["color"] == above["line"]["color"] == LIGHT.mark(1)
    assert np.allclose([below["x"][0], below["x"][-1]], [-3, -1.5])
    assert np.allclose([above["y"][0], above["y"][-1]], [-0.5, -2])
    assert np.abs(rounding["y"]).max() <= 0.5 + 1e-6


def test_the_error_axis_is_labelled_by_half_a_step():
    axis = error_axis(data(), LIGHT)
    assert axis["tickvals"] == [-0.5, 0.0, 0.5] and axis["ticktext"] == ["−0.5", "", "0.5"]
    assert 2.0 <= axis["range"][1] <= 2.3


def test_unused_codes_are_hollow():
    (used, unused), axis = codes(data(x=[-1, 0.1, 0.2]), LIGHT)
    assert used["x"].tolist() == [-1, 0] and used["y"].tolist() == [1, 2]
    assert used["customdata"].tolist() == [0, 1]
    assert unused["x"].tolist() == [1, 2] and unused["marker"]["color"] == CLEAR
    assert used["marker"]["color"] == LIGHT.fill
    assert (used["width"] == np.float32(0.9)).all()
    assert axis["range"][0] < np.log10(unused["y"][0]) < axis["range"][1] / 2


def test_very_many_codes_share_bars():
    (line,), _ = codes(data(typed(2.0**-10, 2048, 0, 4095), (-3.0, 3.0)), LIGHT)
    assert line["x"].size == 256 and line["yaxis"] == "y4"


def test_codes_that_were_not_counted():
    bars, axis = codes(data(view=(2.2, 2.4)), LIGHT)
    assert bars == [] and axis["visible"] is False


def test_too_fine_a_saw_tooth_is_a_band():
    # steps of 2^-10 from -2 to 2 - 2^-10: every column holds errors of half a step both ways
    fine = data(typed(2.0**-10, 2048, 0, 4095), (-3.0, 3.0))
    lower, upper, below, above = error(fine, LIGHT)
    inside = np.abs(lower["x"]) < 1.95
    assert np.allclose(lower["y"][inside], -(2.0**-11), rtol=0.15)
    assert np.allclose(upper["y"][inside], 2.0**-11, rtol=0.15)
    assert upper["fill"] == "tonexty"
    assert below["line"]["color"] == above["line"]["color"] == LIGHT.mark(1)
    assert 0.95 < below["y"][0] < 1.0  # -3 comes back as -2


def test_bars_of_many_codes_stay_in_their_panel():
    spread = np.linspace(0, 0.01, 1000, dtype=np.float32)  # over ten codes, in one or two bars
    (line,), axis = codes(data(typed(2.0**-10, 2048, 0, 4095), (-3.0, 3.0), x=spread), LIGHT)
    assert line["y"].max() > 500
    assert np.log10(line["y"].max()) <= axis["range"][1]
