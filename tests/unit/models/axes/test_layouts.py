"""Arithmetic of shapes in which some lengths are open."""

import pytest

from qviz.models.axes.layouts import Laid, broadcast, carried, filled, flat, told


def test_places_are_counted_from_the_first():
    assert Laid(None, 1).place == 1 and Laid(None, -1).place is None
    assert Laid(("n", 3, 4), -1).place == 2 and Laid(("n", 3)).place is None


def test_lengths_without_a_name_equal_no_other():
    a, b = told(("", "")), told(("n", 3))
    assert a[0] != a[1] and b == ("n", 3)


def test_shapes_meet_at_their_ends():
    assert broadcast([("n", 1, 4), (3, 1)]) == ("n", 3, 4)
    assert broadcast([(2,), None]) is None and broadcast([()]) == ()


@pytest.mark.parametrize(
    ("shape", "axis", "after", "found"),
    [
        (("n", 16, 3, 5), 1, ("n", 16, "?"), 1),
        (("n", 16, 3, 5), 1, ("?", 16, 15), 1),
        (("n", 16, 3, 5), 1, ("?", 16), None),
        (("n", "t", 6), 2, ("?", 6), 1),
        (("n", "t", 6), 2, ("n", "t", 2, 3), None),
        (("n", "t", 6), 5, ("n", "t", 6), None),
    ],
)
def test_an_axis_that_a_reshape_leaves_whole(shape, axis, after, found):
    assert carried(shape, axis, after) == found


def test_what_reshapes_give():
    assert filled([0, 8], ("n", 4, 2)) == ("n", 8)
    assert isinstance(filled([-1], (4,))[0], str) and isinstance(filled([0, 0], (4,))[1], str)
    assert flat(("n", 8, 1, 1), 1) == ("n", 8) and flat((2, 8, 3), 2) == (16, 3)
    assert isinstance(flat(("n", "t", 3), 2)[0], str) and flat(("n", "t", 3), 2)[1] == 3
