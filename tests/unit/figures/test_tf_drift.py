from dataclasses import replace

import numpy as np
import pytest

from qviz.figures.tf_drift import drift_figure, error_words, law, verdict
from qviz.figures.theme import LIGHT
from qviz.pipeline.drift import Drift
from tests.unit.figures.small import drawable, payload, texts

PATHS = np.linspace(-1, 1, 9)[:, None] + 0.01 * np.arange(51)[None, :]
CLIMBS = Drift(PATHS, 0.01, 1.0, 0.99, 0.01 * np.arange(1, 51), False)
STAYS = replace(CLIMBS, slope=0.0, moved=0.0, declared=True)


def test_nine_ways_over_the_trips():
    figure = drawable(drift_figure("MIN_FIRST", CLIMBS, (-1, 1.5), "#D55E00", LIGHT, few=True))
    assert len(figure["data"]) == 9
    assert figure["data"][4]["y"] == pytest.approx(0.01 * np.arange(51))
    assert (figure["data"][4]["x0"], figure["data"][4]["dx"]) == (0, 1)
    assert list(figure["layout"]["xaxis"]["range"]) == [0, 50]
    low, high = figure["layout"]["yaxis"]["range"]
    assert low < -1 and high > 1.5
    assert {t["line"]["color"] for t in figure["data"]} == {"#D55E00"}


def test_what_is_said_above():
    figure = drift_figure("MIN_FIRST", CLIMBS, (-1, 1), "#D55E00", LIGHT, few=False)
    assert texts(figure) == ["<b>MIN_FIRST</b>", "+1 step per round trip"]
    assert figure["layout"]["annotations"][1]["font"]["color"] == LIGHT.band_words
    assert verdict(STAYS) == "stays where it is"
    assert verdict(replace(CLIMBS, slope=-1.0)) == "−1 step per round trip"
    assert verdict(replace(STAYS, slope=1 / 9, moved=0.5)) == "1 step in 9 trips, then none"
    assert verdict(replace(STAYS, moved=0.032)) == "stays; a second trip moves 3.2 %"


def test_the_law_beside_the_measurement():
    assert law(STAYS) == "declared and held"
    assert law(CLIMBS) == "not declared, and not held"
    assert law(replace(STAYS, declared=False)) == "not declared, though held here"
    assert law(replace(STAYS, moved=0.1)) == "declared, and broken here"


def test_errors_in_words():
    assert (error_words(CLIMBS, 1), error_words(CLIMBS, 50)) == ("0.01", "0.5")
    assert error_words(CLIMBS, 51) == "–"


def test_three_figures_stay_small():
    figure = drift_figure("MIN_FIRST", CLIMBS, (-1, 1), "#D55E00", LIGHT, few=True)
    assert 3 * payload(figure) < 48_000
