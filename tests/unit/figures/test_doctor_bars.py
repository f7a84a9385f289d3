"""Bars on a logarithmic axis."""

import numpy as np
import pytest

from qviz.figures.doctor_bars import Magnitude, Mark, bars_on_log, ticks, view
from qviz.figures.theme import LIGHT


def test_bars_reach_from_the_left_edge_to_their_value():
    rows = [Magnitude("a", 100.0, "8 codes", fault=True), Magnitude("b", 1.0), Magnitude("c", 0.0)]
    figure = bars_on_log(rows, [Mark(10.0, "half a step", bold=True)], LIGHT, "value")
    (bars,) = figure["data"]
    low, high = figure["layout"]["xaxis"]["range"]
    assert bars["base"] == pytest.approx(10**low) and low < 0 and high > 2
    np.testing.assert_allclose(bars["base"] + bars["x"], [100, 1, bars["base"]])
    assert figure["layout"]["shapes"][0]["x0"] == 10.0
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts == ["<b>half a step</b>", "8 codes", "", ""]


def test_names_are_no_markup():
    figure = bars_on_log([Magnitude("<b>x</b>", 1.0)], (), LIGHT, "")
    assert figure["layout"]["yaxis"]["ticktext"] == ["&lt;b&gt;x&lt;/b&gt;"]


def test_the_view_holds_at_most_six_powers_of_ten_below_the_largest():
    low, high = view([Magnitude("a", 1.0), Magnitude("b", 1e-30)], ())
    assert low == pytest.approx(-6 - 0.72) and high == pytest.approx(0.36)
    assert view([], ()) == pytest.approx((-0.56, 0.03))


def test_ticks_are_1_2_5_while_they_fit():
    assert ticks((0.0, 2.0))["tickvals"] == [1, 2, 5, 10, 20, 50, 100]
    assert ticks((0.0, 4.0))["tickvals"] == [1, 10, 100, 1000, 10000]


def test_marks_that_are_no_place_on_the_axis_are_left_out():
    figure = bars_on_log([Magnitude("a", 1.0)], [Mark(0.0, "x"), Mark(np.inf, "y")], LIGHT, "")
    assert figure["layout"]["shapes"] == []
