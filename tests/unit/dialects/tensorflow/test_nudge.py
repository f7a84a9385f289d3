"""How a range is moved until 0 is a level: figures of the documentation, and odd ones."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.nudge import nudged

BYTE = (0, 255)
f32 = np.float32


def of(low, high, ends=BYTE):
    n = nudged(f32([low]), f32([high]), ends)
    return n, n.zero_point[0], n.lo[0], n.hi[0]


@pytest.mark.parametrize(
    ("low", "high", "zero", "lo", "hi"),
    [
        (1, 3, 0, 0, 2),
        (-3, -1, 255, -2, 0),
        (-127.5, 127.5, 128, -128, 127),  # a tie of the zero point goes away from zero
        (-6, 6, 128, -6.0235295, 5.9764705),
        (0, 255, 0, 0, 255),
    ],
)
def test_nudged_ends(low, high, zero, lo, hi):
    _, *got = of(low, high)
    assert got == pytest.approx([zero, lo, hi], rel=1e-7)


def test_a_narrow_range_starts_at_code_one():
    _, zero, lo, hi = of(-127, 127, (1, 255))
    assert (zero, lo, hi) == (128, -127, 127)


def test_steps_between_the_low_end_and_zero():
    n, *_ = of(-127.5, 127.5)
    assert (n.scale[0], n.inverse[0], n.offset[0]) == (1, 1, 128)


def test_the_inverse_is_divided_on_its_own():
    n, *_ = of(0, 3)
    assert n.inverse[0] == 85
    assert n.scale[0] == f32(3) / f32(255)


def test_inverted_bounds_are_taken_as_they_are():
    n, zero, lo, hi = of(3, 1)
    assert n.scale[0] < 0 and zero == 255
    assert (lo, hi) == (2, 0)


def test_nothing_at_all():
    for low, high in ((0, 0), (1e-40, -1e-40), (-0.0, 0.0)):
        n, zero, lo, hi = of(low, high, (1, 15))
        assert n.nothing[0] and zero == 1
        assert n.scale.tobytes() == f32([0.0]).tobytes()
        assert lo == hi == 0
    assert not of(1, 1)[0].nothing[0]


def test_equal_bounds_have_no_step():
    n, zero, *_ = of(1, 1)
    assert n.scale[0] == 0 and np.isinf(n.inverse[0]) and zero == 0


def test_a_zero_point_that_is_nan_is_zero():
    assert of(0, 1e-44)[1] == 0
    assert of(np.nan, 1)[1] == 0


def test_groups_are_on_their_own():
    n = nudged(f32([1, -3, 0]), f32([3, -1, 0]), BYTE)
    assert n.zero_point.tolist() == [0, 255, 0]
    assert n.nothing.tolist() == [False, False, True]
