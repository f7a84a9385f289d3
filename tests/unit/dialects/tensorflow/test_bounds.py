"""Shapes, sizes and order of bounds."""

import numpy as np
import pytest

from qviz.dialects.tensorflow import bounds
from qviz.dialects.tensorflow.errors import InvalidArgument

f32 = np.float32


def pair(*shape):
    return np.zeros(shape, f32), np.zeros(shape, f32)


FINE = [
    (bounds.counted, (pair(), 1)),
    (bounds.counted, (pair(1, 1), 1)),
    (bounds.scalar, (pair(),)),
    (bounds.one_per_slice, (pair(3), 3)),
    (bounds.one_per_slice, (pair(0), 0)),
    (bounds.ordered, ((f32(1), f32(1)),)),
    (bounds.same_shape, (np.zeros((2, 3)), np.ones((2, 3)))),
]
WRONG = [
    (bounds.counted, (pair(2), 1), "1 of each"),
    (bounds.counted, ((f32([1]), f32([1, 2])), 1), r"shapes \(1,\) and \(2,\)"),
    (bounds.scalar, (pair(1),), "0-d"),
    (bounds.one_per_slice, (pair(3, 1), 3), "1-D with 3"),
    (bounds.one_per_slice, (pair(), 1), "1-D with 1"),
    (bounds.ordered, ((f32(2), f32(1)),), "2 to 1 is no range"),
    (bounds.ordered, ((f32(np.nan), f32(1)),), "NaN"),
    (bounds.same_shape, (np.zeros(3), np.ones(4)), r"Gradients of shape \(3,\)"),
    (bounds.slices, (np.zeros((2, 3)), 2), "Axis 2 does not exist"),
    (bounds.slices, (np.zeros((2, 3)), -1), "Axis -1 does not exist"),
    (bounds.slices, (np.zeros(()), 0), "Axis 0 does not exist"),
]


@pytest.mark.parametrize(("check", "given"), FINE)
def test_lets_pass(check, given):
    assert check(*given) is None


@pytest.mark.parametrize(("check", "given", "says"), WRONG)
def test_refuses(check, given, says):
    with pytest.raises(InvalidArgument, match=says):
        check(*given)


def test_slices():
    assert bounds.slices(np.zeros((2, 3)), 1) == 3
