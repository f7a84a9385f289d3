import numpy as np

from qviz.figures.granularity import rows_of_decibels
from qviz.figures.theme import LIGHT

ROWS = [("per tensor", 25.8, True), ("per channel", 43.7, False), ("per token", 35.2, True)]


def test_the_best_that_can_be_deployed_is_blue():
    figure = rows_of_decibels([*ROWS, ("groups of 128", None, False)], LIGHT, "dB")
    (bars,) = figure["data"]
    np.testing.assert_allclose(bars["x"], [25.8, 43.7, 35.2, 0], rtol=1e-6)
    blue = LIGHT.highlights[0]
    assert [c == blue for c in bars["marker"]["color"]] == [False, False, True, False]
    notes = [n["text"] for n in figure["layout"]["annotations"]]
    assert notes == ["25.8 dB", "43.7 dB", "35.2 dB", "–"]
    assert figure["layout"]["yaxis"]["ticktext"][0] == "per tensor"


def test_an_exact_row_reaches_the_end():
    figure = rows_of_decibels([("a", np.inf, True), ("b", 10.0, True)], LIGHT, "dB")
    assert figure["data"][0]["x"].tolist() == [10.0, 10.0]
    assert figure["layout"]["annotations"][0]["text"] == "exact"
    alone = rows_of_decibels([("a", None, True)], LIGHT, "dB")
    assert alone["data"][0]["x"].tolist() == [0]
