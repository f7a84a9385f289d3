import itertools

import pytest

from qviz.figures.labels import (
    End,
    Place,
    above,
    lines_above,
    log_ticks,
    named_ends,
    spread,
    width_of,
)
from qviz.figures.theme import LIGHT


def test_places_that_are_free_stay():
    assert spread([10, 50, 90], 15, 0, 100) == [10, 50, 90]


def test_places_that_crowd_form_a_block_around_their_mean():
    assert spread([50, 50], 10, 0, 100) == [45, 55]
    assert spread([52, 50, 48], 10, 0, 100) == [60, 50, 40]
    assert spread([50, 51, 90], 10, 0, 100) == [45.5, 55.5, 90]


def test_places_stay_inside_and_close_up_where_all_do_not_fit():
    assert spread([0, 0, 0], 10, 0, 100) == [0, 10, 20]
    assert spread([100, 100], 10, 0, 100) == [90, 100]
    assert spread([5, 5, 5], 10, 0, 10) == [0, 5, 10]
    assert spread([], 10, 0, 10) == []


def test_names_stand_right_of_their_ends_without_touching():
    ends = [End("a", "#000000", 16, 10.0), End("b", "#111111", 16, 10.0)]
    first, second = named_ends(ends, (0, 100), 200)
    assert first["text"] == "<b>a</b>" and first["font"]["color"] == "#000000"
    assert (first["x"], first["y"]) == (16, 10.0)
    assert abs(first["ay"] - second["ay"]) == 15


def test_words_above_never_share_a_line_where_they_would_touch():
    places = [Place("hi 4.83", "#000000", at) for at in (0.1, 0.15, 0.9)]
    assert lines_above(places) == [0, 1, 0]
    crowd = [Place(f"mark number {i}", "#000000", i / 9) for i in range(10)]
    lines = lines_above(crowd)
    for (a, la), (b, lb) in itertools.combinations(zip(crowd, lines, strict=True), 2):
        apart = a.span[1] < b.span[0] or b.span[1] < a.span[0]
        assert la != lb or apart


@pytest.mark.parametrize(("at", "anchor"), [(0.1, "left"), (0.5, "center"), (0.95, "right")])
def test_words_above_stay_inside_the_frame(at, anchor):
    note = above(Place("x", "#000000", at, bold=True), 2, LIGHT)
    assert note["xanchor"] == anchor
    assert note["text"] == "<b>x</b>"
    assert note["yshift"] == 30


def test_margins_follow_the_longest_name():
    assert width_of([]) == 56
    assert width_of(["a", "x" * 12]) == 20 + round(5.9 * 12)
    assert width_of(["x" * 99]) == 124


def test_ticks_of_a_logarithmic_axis():
    assert log_ticks((0.2, 1.8)) == {
        "tickvals": [2, 5, 10, 20, 50],
        "ticktext": ["2", "5", "10", "20", "50"],
    }
    assert log_ticks((-2.1, 2.1))["ticktext"] == ["0.01", "0.1", "1", "10", "100"]
    assert log_ticks((-8.0, 1.0))["ticktext"] == ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"]
