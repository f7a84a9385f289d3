import json

import numpy as np
import pytest

from qviz.figures.overview import Overview, median_magnitude, overview
from qviz.figures.theme import DARK, LIGHT
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream


def seen(x, first_odd=None):
    states = gather(Stream.of(np.asarray(x, np.float32)).tiles[0], (MinMax(), Sketch(16)))
    return Overview.of(states[MinMax()], states[Sketch(16)].cells, first_odd)


def test_what_few_codes_will_serve_is_no_praise():
    assert seen(np.linspace(997, 1003, 4001)).heading == (
        "All values lie in [997, 1,003]: 0.598 % of the way from 0"
    )
    peaks = np.concatenate([np.full(3000, 1e-4), np.linspace(0.5, 1, 3000)[:500]])
    assert "10,000 times" in seen(np.concatenate([peaks, [1.0] * 60])).heading
    assert seen(np.arange(10.0)).heading == "All values lie in [0, 9]"


def far():
    """A middle of 4,000 values -1 and 4,000 values 1, and two values that reach far."""
    return np.concatenate([np.repeat([-1.0, 1.0], 4000), [-30.0, 45.0]])


def test_a_tensor_with_outliers_is_told_by_its_middle_and_its_reach():
    found = seen(far())
    assert found.middle == (-1, 1)
    assert found.heading == "99.9 % of the values lie in [−1, 1], but the tensor reaches [−30, 45]"


@pytest.mark.parametrize(
    ("x", "heading"),
    [
        ([], "This tensor has no elements"),
        ([np.nan, np.inf], "None of the 2 values is finite"),
        ([2.0] * 4096, "All 4,096 values are 2"),
        ([7.0], "One value: 7"),
        ([1.0, np.nan, 2.0], "1 NaN among 3 values, first at flat index 1"),
    ],
    ids=["empty", "nothing finite", "constant", "one value", "a NaN"],
)
def test_what_is_odd_is_said_instead(x, heading):
    assert seen(x, first_odd=1).heading == heading


def test_even_values_are_well_behaved():
    heading = seen(np.linspace(-1, 3, 4001)).heading
    assert heading == "Well behaved: 99.9 % of the values lie in [−0.998, 3], all in [−1, 3]"


def test_the_typical_magnitude_is_the_median():
    assert median_magnitude(seen([-8.0, 1.0, 2.0, -4.0, 0.5]).cells) == 2.0
    assert dict(seen([-8.0, 1.0, 2.0, -4.0, 0.5]).cards)["largest_typical"] == "4 ×"
    assert dict(seen([0.0, 0.0, 0.0, 9.0]).cards)["largest_typical"] == "–"


def test_cards_count_what_is_not_finite():
    cards = dict(seen([1.0, np.nan, -np.inf]).cards)
    assert cards["values"] == "3"
    assert cards["not_finite"] == "2"


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_picture_brackets_the_middle_and_writes_the_ends(palette):
    figure = overview(seen(far()), palette)
    bracket = figure["layout"]["shapes"][0]
    assert (bracket["x0"], bracket["x1"]) == pytest.approx((-1, 1), abs=0.01)
    assert bracket["line"]["color"] == palette.highlights[0]
    texts = {note["text"]: note["x"] for note in figure["layout"]["annotations"]}
    assert (texts["min −30"], texts["max 45"]) == (-30, 45)
    assert texts["99.9 % of the values"] == pytest.approx(0, abs=0.01)
    assert figure["data"][0]["y"].size == 401
    assert len(json.dumps(figure, default=lambda a: a.tolist())) < 14_000


def test_a_constant_has_a_picture_without_bracket():
    figure = overview(seen([2.0] * 10), LIGHT)
    assert figure["layout"]["shapes"] == []
    assert figure["data"][0]["y"].max() == 10
