import numpy as np
import pytest

from qviz.figures.tf_near_zero import NearZero, near_zero, reach, verdict
from qviz.figures.theme import LIGHT
from tests.unit.figures.small import drawable, payload, texts

X = np.array([-3.5, -0.5, -0.5, 0.5, 0.5, 3.5])
E = np.array([3.0, 0.5, -0.5, 0.5, -0.5, -3.0])
ONE = NearZero("MIN_COMBINED", "#0072B2", X, E, -0.5)


def test_the_saw_and_the_dot_stand_where_they_must():
    figure = drawable(near_zero(ONE, LIGHT, 0.6))
    saw, dot = figure["data"]
    assert saw["x"].tolist() == X.tolist() and saw["y"].tolist() == E.tolist()
    assert (dot["x"][0], dot["y"][0]) == (0, -0.5)
    assert list(figure["layout"]["xaxis"]["range"]) == [-3.5, 3.5]
    assert list(figure["layout"]["yaxis"]["range"]) == [-0.6, 0.6]
    assert list(figure["layout"]["yaxis"]["ticktext"]) == ["−½", "0", "½"]


def test_words_say_whether_zero_moves():
    assert texts(near_zero(ONE, LIGHT, 0.6)) == ["<b>MIN_COMBINED</b>", "0 moves by −0.5 step"]
    assert verdict(0.0) == verdict(5e-5) == "0 stays 0"
    assert verdict(300.0) == "0 moves by 300 steps"
    assert verdict(-1.004) == "0 moves by −1 step"  # as it is written
    assert verdict(1.1) == "0 moves by 1.1 steps"


def test_a_zero_far_away_is_said_and_not_drawn():
    far = NearZero("doc", "#0072B2", X, 1e6 * E, 300.0)
    figure = near_zero(far, LIGHT, 2.5)
    assert len(figure["data"]) == 1
    assert np.abs(figure["data"][0]["y"]).max() <= 5
    assert list(figure["layout"]["yaxis"]["ticktext"]) == ["−2", "−1", "0", "1", "2"]


@pytest.mark.parametrize(("largest", "height"), [(0.1, 0.6), (0.75, 0.84), (9.0, 2.5)])
def test_one_height_for_all(largest, height):
    assert reach([np.zeros(3), np.array([largest])]) == pytest.approx(height)
    assert reach([]) == 0.6


def test_three_figures_stay_small():
    teeth = np.repeat(np.arange(-3.5, 3.6, 0.5), 2)
    many = NearZero("MIN_COMBINED", "#0072B2", teeth, teeth / 9, 0.0)
    assert 3 * payload(near_zero(many, LIGHT, 0.6)) < 27_000
