"""The three ops: what their arguments must be, and sums of gradients."""

import numpy as np
import pytest

from qviz.dialects.tensorflow import fake_quant_op as op
from qviz.dialects.tensorflow import tensors
from qviz.dialects.tensorflow.errors import InvalidArgument

f32 = np.float32
BYTE = (0, 255)


def test_codes():
    assert op.codes(8, False) == BYTE and op.codes(16, True) == (1, 65535)
    for bits in (1, 17, 0, -1):
        with pytest.raises(InvalidArgument, match="2 to 16"):
            op.codes(bits, False)
    with pytest.raises(InvalidArgument, match="whole number"):
        op.codes(8.5, False)


@pytest.mark.parametrize("bounds", [(1, 1), (2, 1), (np.nan, 1), (1, np.nan), (1e-40, 1e-39)])
def test_args_needs_min_below_max(bounds):
    with pytest.raises(InvalidArgument, match="min < max"):
        op.of_args(*bounds, BYTE)
    assert op.of_vars(*bounds, BYTE).ends == BYTE


def test_vars_needs_single_bounds():
    for make in (op.of_args, op.of_vars):
        with pytest.raises(InvalidArgument, match="0-d"):
            make(f32([-1]), f32([1]), BYTE)


def test_channels_need_a_range_each():
    x, three = np.zeros((2, 3), f32), np.ones(3, f32)
    assert op.of_channels(x, -three, three, BYTE).low.tolist() == [-1, -1, -1]
    for bad in (three[:2], f32(1), three[None]):
        with pytest.raises(InvalidArgument, match="1-D with 3"):
            op.of_channels(x, -three, bad, BYTE)
    with pytest.raises(InvalidArgument, match="no channels"):
        op.of_channels(f32(1), -three[:1], three[:1], BYTE)


def test_channels_are_the_last_axis():
    x = np.full((2, 2, 2), 10, f32)
    grid = op.of_channels(x, f32([0, 0]), f32([1, 255]), BYTE)
    got = op.forward(grid, x, channels=True)
    assert got[..., 0].tolist() == [[1, 1], [1, 1]] and got[..., 1].tolist() == [[10, 10], [10, 10]]


@pytest.mark.parametrize("block", [1, 3, 10**6])
def test_sums_go_over_all_but_the_last_axis(monkeypatch, block):
    monkeypatch.setattr(tensors, "BLOCK", block)
    x = f32([[-1, 9], [-2, 0.5], [0.5, 8], [7, -7]])
    g = f32([[1, 2], [4, 8], [16, 32], [64, 128]])
    ones = np.ones(2, f32)
    grid = op.of_channels(x, 0 * ones, ones, BYTE)
    dx, low, high = op.gradient(grid, g, x, channels=True)
    assert dx.tolist() == [[0, 0], [0, 8], [16, 0], [0, 0]]
    assert (low.tolist(), high.tolist()) == ([5, 128], [64, 34])


def test_sums_of_nothing_are_plus_zero():
    grid = op.of_vars(-1.0, 1.0, BYTE)
    for x in (np.zeros(0, f32), np.zeros(3, f32)):
        _, low, high = op.gradient(grid, -np.ones_like(x), x)
        assert low.shape == high.shape == ()
        assert low.tobytes() == high.tobytes() == f32(0.0).tobytes()


def test_a_sum_is_rounded_once():
    x, g = np.full(3, 5, f32), f32([1, 2.0**-24, 2.0**-24])
    _, _, high = op.gradient(op.of_vars(-1.0, 1.0, BYTE), g, x)
    assert high == 1 + f32(2.0**-23)  # one by one in float32 it would stay 1


def test_gradients_have_the_shape_of_the_input():
    with pytest.raises(InvalidArgument, match="Gradients of shape"):
        op.gradient(op.of_vars(-1.0, 1.0, BYTE), np.zeros(3, f32), np.zeros(4, f32))
