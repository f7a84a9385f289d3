"""Ends and step of the range slider, and which handle was dragged."""

import numpy as np
import pytest

from qviz.ui.grid.slide import bounds, moved


def test_a_quarter_beyond_the_values_in_decimal_steps():
    found = bounds(-1.0, 3.0)
    assert (found.lo, found.hi, found.step) == (-2.0, 4.0, 0.01)


def test_zero_is_always_inside():
    assert bounds(4.0, 6.0).lo == 0.0
    assert bounds(-6.0, -4.0).hi == 0.0


@pytest.mark.parametrize("value", [0.0, 2.0, -2.0])
def test_one_value_gets_room(value):
    found = bounds(value, value)
    assert found.lo < value < found.hi and found.lo <= 0 <= found.hi


@pytest.mark.parametrize(("lo", "hi"), [(-1e307, 1e307), (-np.inf, 1.0), (0.0, 1e-310)])
def test_what_no_slider_can_hold(lo, hi):
    assert bounds(lo, hi) is None


@pytest.mark.parametrize(
    ("after", "which"),
    [
        ((-5.0, 7.78), (True, False)),  # the upper handle was only rounded
        ((-6.0, 7.5), (False, True)),
        ((-5.0, 5.0), (True, True)),
        ((-6.0, 7.7812), (False, False)),
    ],
)
def test_a_handle_that_was_not_dragged_keeps_its_end(after, which):
    assert moved((-6.0, 7.7812), after, 0.01) == which
