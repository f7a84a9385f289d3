"""quantized_concat: the joint range, copies and conversions, its quirk with empty inputs."""

import numpy as np
import pytest
import torch

from qviz.dialects import OPS
from qviz.dialects.tensorflow import quantized_concat
from qviz.dialects.tensorflow.errors import InvalidArgument, NotFound

A, B = np.uint8([[0, 128, 255]]), np.uint8([[0, 51]])


def test_it_is_filed():
    assert OPS["tf.quantized_concat"] is quantized_concat
    assert "concat" in str(OPS.entry("tf.quantized_concat").source)


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy])
def test_codes_move_to_the_joint_range(kind):
    out, lo, hi = quantized_concat(1, [kind(A), kind(B)], [0.0, 0.0], [255.0, 5.0])
    assert type(out) is type(lo) is type(kind(A))
    assert out.tolist() == [[0, 128, 255, 0, 1]]
    assert (lo, hi) == (0, 255) and lo.shape == ()


def test_a_range_above_zero_is_widened_and_one_below_is_not():
    out, lo, hi = quantized_concat(1, [A, A], [5.0, 10.0], [10.0, 20.0])
    assert (lo, hi) == (0, 20)
    assert out.tolist() == [[64, 96, 128, 128, 192, 255]]  # 191.5 goes away from 0
    _, lo, hi = quantized_concat(1, [A, A], [-5.0, -7.0], [-1.0, -2.0])
    assert (lo, hi) == (-7, -1)


def test_thirty_two_bits_are_made_symmetric():
    x = np.int32([2**31 - 1, 0, -(2**31)])
    out, lo, hi = quantized_concat(0, [x, x], [-1.0, -1.0], [1.0, 0.5])
    assert (lo, hi) == (-1, 1)
    assert out[:3].tolist() == x.tolist()  # its own range: copied
    assert out[3:].tolist() == [2**30, -(2**29), -(2**31)]


def test_bounds_compare_as_numbers():
    out, lo, _ = quantized_concat(1, [A, A], [-0.0, 0.0], [1.0, 1.0])
    assert out.tolist() == [[0, 128, 255, 0, 128, 255]] and not np.signbit(lo)


def test_nan_bounds_are_ignored():
    _, lo, hi = quantized_concat(1, [A, A], [np.nan, -2.0], [np.nan, 3.0])
    assert (lo, hi) == (-2, 3)


def test_an_empty_input_leaves_its_range_behind():
    none = np.zeros((1, 0), np.uint8)
    out, lo, hi = quantized_concat(1, [none, A], [-5.0, 0.0], [1.0, 1.0])
    assert (lo, hi) == (-5, 1) and out.tolist() == A.tolist()
    with_its_own, _, _ = quantized_concat(1, [A, none], [0.0, -5.0], [1.0, 1.0])
    assert with_its_own.tolist() == [[213, 234, 255]]


def test_all_empty():
    none = np.zeros((2, 0), np.uint8)
    assert quantized_concat(0, [none, none], [0.0, 0.0], [1.0, 1.0])[0].shape == (4, 0)


def test_axes():
    assert quantized_concat(0, [A, A], [0.0, 0.0], [1.0, 1.0])[0].shape == (2, 3)


ZEROS, ONES = [0.0, 0.0], [1.0, 1.0]


@pytest.mark.parametrize(
    ("axis", "values", "mins", "maxes", "says"),
    [
        (0, [A], [0.0], [1.0], "Two are needed"),
        (-1, [A, A], ZEROS, ONES, "Axis -1"),
        (2, [A, A], ZEROS, ONES, "Axis 2"),
        (0, [np.uint8(1), np.uint8(2)], ZEROS, ONES, "Axis 0"),
        (0, [A, B], ZEROS, ONES, "Only axis 0 may differ"),
        (0, [A, A[0]], ZEROS, ONES, "Only axis 0 may differ"),
        (0, [A, A.astype(np.int32)], ZEROS, ONES, "int32, uint8"),
        (0, [A, A], [0.0], ONES, "1 mins and 2 maxes"),
        (0, [A, A], [np.zeros(2), 0.0], ONES, "1 of each"),
        (0.5, [A, A], ZEROS, ONES, "concat_dim"),
    ],
)
def test_refusals(axis, values, mins, maxes, says):
    with pytest.raises(InvalidArgument, match=says):
        quantized_concat(axis, values, mins, maxes)


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "float32"])
def test_types_without_a_kernel(dtype):
    x = np.zeros(2, dtype)
    with pytest.raises(NotFound, match=dtype):
        quantized_concat(0, [x, x], ZEROS, ONES)
