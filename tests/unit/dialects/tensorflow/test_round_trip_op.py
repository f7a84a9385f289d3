"""QuantizeAndDequantize: bounds of V2, V3 and V4, ranges from the input, errors."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow.errors import InvalidArgument, NotFound
from qviz.dialects.tensorflow.round_trip_op import (
    RoundTripOp,
    RoundTripV3Op,
    extremes,
    v4_gradient,
)

f32 = np.float32
X = f32([[-127, 0.4, 127], [-1, 5, 300]])
GIVEN = RoundTripOp(range_given=True, narrow_range=True)


def test_a_given_range_clips():
    for x in (X, torch.from_numpy(X), X.astype(np.float64)):
        got = GIVEN(x, -127.0, 127.0)
        assert type(got) is type(x) and got.dtype == x.dtype
        assert got.tolist() == [[-127, 0, 127], [-1, 5, 127]]


def test_its_own_extremes_are_the_range():
    x = f32([-127, 0.4, 12])
    assert RoundTripOp(narrow_range=True)(x, 0, 0).tolist() == [-127, 0, 12]
    assert RoundTripOp(signed_input=False)(f32([0, 0.4, 255]), 7, -7).tolist() == [0, 0, 255]


def test_slices_have_ranges_of_their_own():
    op = RoundTripOp(num_bits=2, narrow_range=True, axis=0)  # codes -1, 0, 1
    assert op(f32([[-4, 1, 3], [-9, 1, 2]]), None, None).tolist() == [[-4, 0, 4], [-9, 0, 0]]


def test_the_switches_matter():
    x = f32([0.5, -128, 127])
    up = RoundTripOp(round_mode="HALF_UP")(x, 0, 0)
    assert up.tolist() == [1, -128, 127] and RoundTripOp()(x, 0, 0)[0] == 0
    assert RoundTripOp(signed_input=False)(f32([-1, 255]), 0, 0)[1] == 255
    assert RoundTripOp(num_bits=3)(f32([-4, 0.4]), 0, 0).tolist() == [-4, 0]


def test_zeros_stay_zeros():
    got = RoundTripOp()(f32([0.0, -0.0, 1e-40]), 0, 0)
    assert got.tobytes() == f32([0.0, -0.0, 0.0]).tobytes()
    negative = RoundTripOp()(f32([-0.0, -0.0]), 0, 0)
    assert negative.tobytes() == f32([0.0, 0.0]).tobytes()  # minus zero times minus zero


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy])
def test_extremes(kind):
    rows = f32([[3, np.nan, -1], [-0.0, 0.0, -2], [-0.0, -0.0, -2]])
    low, high = extremes(kind(rows))
    assert low.tolist() == [-1, -2, -2]
    assert high.tobytes() == f32([3, 0.0, -0.0]).tobytes()


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_nothing_comes_back_of_nothing(shape):
    x = np.zeros(shape, f32)
    assert RoundTripOp()(x, 0, 0).shape == shape
    assert RoundTripOp(axis=0)(x, 0, 0).shape == shape
    assert GIVEN(x, -1.0, 1.0).shape == shape


@pytest.mark.parametrize(
    ("op", "low", "high", "says"),
    [
        (GIVEN, 1.0, -1.0, "no range"),
        (GIVEN, np.nan, 1.0, "NaN"),
        (GIVEN, f32([-1]), f32([1]), "0-d"),
        (RoundTripOp(range_given=True, axis=1), -1.0, 1.0, "no range for an axis"),
        (RoundTripOp(range_given=True, axis=1), -np.ones(3, f32), np.ones(3, f32), "0-d"),
        (RoundTripOp(axis=2), 0, 0, "Axis 2"),
        (RoundTripOp(axis=-2), 0, 0, "Axis -2"),
    ],
)
def test_bounds_and_axes_of_v2_and_v4(op, low, high, says):
    with pytest.raises(InvalidArgument, match=says):
        op(X, low, high)


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"round_mode": "HALF_AWAY_FROM_ZERO"}, "No round_mode"),
        ({"num_bits": 0}, "1 to 61"),
        ({"num_bits": 62}, "1 to 61"),
        ({"num_bits": 63, "signed_input": False}, "1 to 62"),
        ({"num_bits": 8.5}, "whole number"),
    ],
)
def test_attributes_that_do_not_exist(attributes, says):
    with pytest.raises(InvalidArgument, match=says):
        RoundTripOp(**attributes)
    assert RoundTripOp(num_bits=62, signed_input=False).num_bits == 62


def test_v3_takes_a_range_per_slice():
    op = RoundTripV3Op(narrow_range=True, axis=1)
    got = op(X, f32([-127, -1, 0]), f32([127, 1, 254]), np.int32(8))
    assert got.tolist() == [[-127, f32(51) / f32(127), 128], [-1, 1, 254]]
    inverted = op(X, f32([5, -1, 0]), f32([-5, 1, 254]), 8)  # unchecked: 5 times FLT_MAX
    assert inverted[0].tolist() == [-np.inf, *got[0, 1:]]


def test_v3_takes_the_number_of_bits_as_an_input():
    x = f32([-1, 0.4, 1])
    for bits, want in ((np.int32(2), 0), (torch.tensor([3]), 1 / 3), ([8], 51 / 127)):
        got = RoundTripV3Op(narrow_range=True)(x, f32([-1]), f32([1]), bits)
        assert got[1] == pytest.approx(want, rel=1e-6)


def test_v3_from_the_input():
    op = RoundTripV3Op(range_given=False, narrow_range=True)
    assert op(f32([-127, 0.4]), f32([3, 3]), 0, 8).tolist() == [-127, 0]


@pytest.mark.parametrize(
    ("x", "axis", "bound", "bits", "says"),
    [
        (f32(1), -1, f32(1), 8, "no single value"),
        (X, -1, f32(1), [8, 8], "one num_bits"),
        (X, -1, f32(1), 62, "1 to 61"),
        (X, -1, f32([1, 1]), 8, "1 of each"),
        (X, 1, f32([1, 1]), 8, "1-D with 3"),
        (X, 1, f32([[1, 1, 1]]), 8, "1-D with 3"),
        (X, 2, f32([1, 1]), 8, "Axis 2"),
        (X, -2, f32([1, 1]), 8, "Axis -2"),
    ],
)
def test_refusals_of_v3(x, axis, bound, bits, says):
    with pytest.raises(InvalidArgument, match=says):
        RoundTripV3Op(axis=axis)(x, -bound, bound, bits)


def test_v3_checks_the_order_without_an_axis():
    with pytest.raises(InvalidArgument, match="no range"):
        RoundTripV3Op()(X, 1.0, -1.0, 8)


def test_other_types_have_no_kernel():
    for x in (np.float16([1]), np.int32([1]), torch.ones(1, dtype=torch.bfloat16)):
        with pytest.raises(NotFound, match="no CPU kernel"):
            RoundTripOp()(x, 0, 0)


def test_the_gradient_of_v4():
    g = f32([[1, 2, 3], [4, 5, 6]])
    for kind in (np.asarray, torch.from_numpy):
        dx, low, high = v4_gradient(kind(g), kind(X), -1.0, 5.0)
        assert type(dx) is type(low) is type(kind(X))
        assert dx.tolist() == [[0, 2, 0], [4, 5, 0]]
        assert low.shape == high.shape == () and low == high == 0
    dx, low, _ = v4_gradient(g, X, f32([-1, 0, 300]), f32([1, 1, 300]), axis=1)
    assert dx.tolist() == [[0, 2, 0], [4, 0, 6]] and low.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("g", "bound", "axis", "says"),
    [
        (X[:1], f32(1), -1, "Gradients of shape"),
        (X, f32([1]), -1, "0-d"),
        (X, f32(1), 1, "1-D with 3"),
        (X, f32([1, 1]), 1, "1-D with 3"),
        (X, f32([1, 1]), 2, "Axis 2"),
        (X, f32([1, 1]), -2, "Axis -2"),
    ],
)
def test_refusals_of_the_gradient(g, bound, axis, says):
    with pytest.raises(InvalidArgument, match=says):
        v4_gradient(g, X, -bound, bound, axis)
