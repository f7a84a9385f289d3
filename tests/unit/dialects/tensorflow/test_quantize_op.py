"""QuantizeV2: attributes, shapes, slices of an axis."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow.errors import InvalidArgument, Unimplemented
from qviz.dialects.tensorflow.quantize_op import QuantizeOp
from qviz.dialects.tensorflow.types import TYPES

f32 = np.float32
QUINT8 = TYPES["quint8"]
X = f32([[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
@pytest.mark.parametrize("name", TYPES)
def test_codes_have_the_plain_type(mode, name):
    for x in (X, torch.from_numpy(X)):
        codes, lo, hi = QuantizeOp(TYPES[name], mode)(x, 0.0, 5.0)
        assert type(codes) is type(lo) is type(hi) is type(x)
        assert str(codes.dtype).endswith(TYPES[name].storage)
        assert codes.shape == (2, 3) and lo.shape == hi.shape == ()
        assert str(lo.dtype).endswith("float32")


def test_slices_have_ranges_of_their_own():
    op = QuantizeOp(QUINT8, axis=1)
    codes, lo, hi = op(X, f32([0, -1, 0]), f32([3, 4, 10]))
    assert codes.tolist() == [[0, 102, 51], [255, 255, 128]]
    assert lo.tolist() == [0, -1, 0] and hi.tolist() == [3, 4, 10]


@pytest.mark.parametrize("mode", ["MIN_COMBINED", "SCALED"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_slice_is_quantized_as_if_alone(mode, axis):
    rng = np.random.default_rng(axis)
    x = rng.normal(size=(2, 3, 4)).astype(f32)
    low = -rng.random(x.shape[axis]).astype(f32)
    codes, lo, hi = QuantizeOp(TYPES["qint8"], mode, axis=axis)(x, low, low + 2)
    for i in range(x.shape[axis]):
        alone = QuantizeOp(TYPES["qint8"], mode)(x.take(i, axis), low[i], low[i] + 2)
        assert np.array_equal(codes.take(i, axis), alone[0])
        assert (lo[i], hi[i]) == alone[1:]


def test_an_axis_of_one_slice_is_the_whole_tensor():
    x = f32([[0, 255]])
    codes, lo, hi = QuantizeOp(QUINT8, "MIN_FIRST", axis=0)(x, f32([0]), f32([255]))
    assert codes.tolist() == [[0, 255]] and lo.shape == hi.shape == ()


def test_no_slices():
    x = np.zeros((3, 0), f32)
    codes, lo, hi = QuantizeOp(QUINT8, axis=1)(x, np.zeros(0, f32), np.zeros(0, f32))
    assert codes.shape == (3, 0) and lo.shape == hi.shape == (0,)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_the_range_of_the_whole_has_any_rank(shape):
    bound = np.full(shape, 5, f32)
    codes, lo, _ = QuantizeOp(QUINT8)(X, 0 * bound, bound)
    assert codes[1, 2] == 255 and lo.shape == ()


def test_the_margin_counts():
    codes = [QuantizeOp(QUINT8, ensure_minimum_range=m)(f32([1]), 0.0, 1.0)[0] for m in (0.01, 2.0)]
    assert [int(c[0]) for c in codes] == [255, 128]


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"mode": "MIN_LAST"}, "No mode is called 'MIN_LAST'"),
        ({"round_mode": "HALF_UP"}, "No round_mode is called 'HALF_UP'"),
        ({"round_mode": "HALF_TO_EVEN"}, "Only SCALED"),
        ({"mode": "MIN_FIRST", "round_mode": "HALF_TO_EVEN"}, "Only SCALED"),
    ],
)
def test_attributes_that_do_not_exist(attributes, says):
    with pytest.raises(InvalidArgument, match=says):
        QuantizeOp(QUINT8, **attributes)


TWO, THREE = np.zeros(2, f32), np.zeros(3, f32)


@pytest.mark.parametrize(
    ("mode", "axis", "low", "high", "error", "says"),
    [
        ("SCALED", -1, TWO, TWO, InvalidArgument, "1 of each"),
        ("SCALED", 1, TWO, TWO, InvalidArgument, "1-D with 3"),
        ("SCALED", 1, THREE[None], THREE[None], InvalidArgument, "1-D with 3"),
        ("SCALED", 2, TWO, TWO, InvalidArgument, "Axis 2"),
        ("SCALED", -1, 1.0, 0.0, InvalidArgument, "below its start"),
        ("MIN_FIRST", 1, THREE, THREE, Unimplemented, "axis of size 3"),
        ("MIN_FIRST", 1, THREE + 1, THREE, Unimplemented, "axis of size 3"),
        ("MIN_FIRST", 1, TWO, TWO, InvalidArgument, "1-D with 3"),
    ],
)
def test_refusals(mode, axis, low, high, error, says):
    with pytest.raises(error, match=says) as raised:
        QuantizeOp(QUINT8, mode, axis=axis)(X, low, high)
    assert raised.value.stands_for == error.__name__
