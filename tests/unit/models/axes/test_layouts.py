"""Arithmetic of shapes in which some lengths are open."""

import pytest

from qviz.models.axes.layouts import Laid, broadcast, carried, divided, filled, flat, told, united


def test_places_are_counted_from_the_first():
    assert Laid(None, 1).place == 1 and Laid(None, -1).place is None
    assert Laid(("n", 3, 4), -1).place == 2 and Laid(("n", 3)).place is None


def test_lengths_without_a_name_equal_no_other():
    a, b = told(("", "")), told(("n", 3))
    assert a[0] != a[1] and b == ("n", 3)


def test_shapes_meet_at_their_ends():
    assert broadcast([("n", 1, 4), (3, 1)]) == ("n", 3, 4)
    assert broadcast([("n", "t"), (5, 1)]) == (5, "t")
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


@pytest.mark.parametrize(
    ("shape", "axis", "after", "found"),
    [
        (("n", 10, 32), 2, ("n", 10, 4, 8), 3),
        (("n", 10, 96), 2, ("n", 10, 3, 4, 8), 4),
        (("n", 32, "? 1", "? 2"), 1, ("n", 4, 8, 16, 16), 2),  # nothing is known of the places
        (("n", 10, 32), 2, ("n", 10, 4, 4), None),
        (("n", 10, 32), 2, ("n", 2, 5, 32), None),  # tokens are cut
        (("n", 32), 7, ("n", 4, 8), None),
    ],
)
def test_an_axis_that_is_cut_lies_in_the_last_of_its_parts(shape, axis, after, found):
    assert divided(shape, axis, after) == found


@pytest.mark.parametrize(
    ("shape", "axis", "after", "found"),
    [
        (("n", 10, 4, 8), 3, ("n", 10, 32), 2),
        (("n", 10, 4, 8), 3, ("? 1", 32), None),  # how many rows is not known
        ((2, 10, 4, 8), 3, (20, 32), 1),
        ((2, 8, 4, 16, 16), 1, (2, 32, 16, 16), 1),  # groups of channels turned
        ((2, 8, 5, 4), 1, (2, 160), None),  # joined with places
        ((2, 8, 5, 2, 5, 2), 5, (2, 8, 10, 10), None),  # others join too
        ((2, 8), 1, (2, 8), None),
    ],
)
def test_axes_that_are_joined_hold_the_channels_of_one(shape, axis, after, found):
    assert united(shape, axis, after) == found


def test_what_reshapes_give():
    assert filled([0, 8], ("n", 4, 2)) == ("n", 8)
    assert filled([-1], (4,)) == (4,) and isinstance(filled([0, 0], (4,))[1], str)
    assert filled([-1, 3, 2], ("n", 6)) == ("n", 3, 2) and filled([2, -1], (4, 5)) == (2, 10)
    for target, shape in (([-1, 4], (6,)), ([-1, 3], None), ([-1, 2], ("n", "t", 2))):
        assert isinstance(filled(target, shape)[0], str)
    assert flat(("n", 8, 1, 1), 1) == ("n", 8) and flat((2, 8, 3), 2) == (16, 3)
    assert isinstance(flat(("n", "t", 3), 2)[0], str) and flat(("n", "t", 3), 2)[1] == 3
