import numpy as np

from qviz.figures.channel_clipping import clipped_along, words_along
from qviz.figures.theme import LIGHT
from qviz.pipeline.clipping_where import AlongAxis
from tests.unit.figures.small import payload

TOKENS = AlongAxis(0, np.array([2.0, 0, 6, 2]), np.array([90.0, 0, 6, 4]))


def test_energy_stands_up_and_number_hangs_down_on_scales_of_their_own():
    energy, number = clipped_along(TOKENS, LIGHT)["data"]
    np.testing.assert_allclose(energy["y"], [1, 0, 6 / 90, 4 / 90], rtol=1e-6)
    np.testing.assert_allclose(number["y"], [-1 / 3, 0, -1, -1 / 3], rtol=1e-6)
    assert energy["customdata"][0] == "90 %" and number["customdata"][2] == "60 %"
    ticks = clipped_along(TOKENS, LIGHT)["layout"]["yaxis"]["ticktext"]
    assert ticks == ["60 %", "0", "90 %"]


def test_words_name_the_index_with_the_most_energy():
    assert words_along(TOKENS) == (
        "Axis 0: index 0 of 4 holds 90 % of the clipped energy in 2 of 10 clipped elements."
    )


def test_long_axes_are_drawn_in_runs():
    x = np.arange(1234.0)
    figure = clipped_along(AlongAxis(1, x, x), LIGHT)
    assert len(figure["data"][0]["y"]) <= 100
    shares = np.add.reduceat(x / x.sum(), np.arange(0, 1234, 13))
    np.testing.assert_allclose(figure["data"][0]["y"], shares / shares.max(), rtol=1e-5)
    assert "13 a bar" in figure["layout"]["xaxis"]["title"]["text"]
    assert payload(figure) < 10_000


def test_an_axis_of_one_index():
    figure = clipped_along(AlongAxis(0, np.ones(1), np.ones(1)), LIGHT)
    assert figure["data"][0]["y"].tolist() == [1.0]
