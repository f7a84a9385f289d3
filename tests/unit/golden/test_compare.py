"""When two values are equal, and how the first difference is told."""

import numpy as np
import pytest
import torch

from qviz.dialects import Check
from qviz.golden.compare import difference

ONE = np.float32(1)
NEXT = np.nextafter(ONE, np.float32(2))
f32 = np.float32


def agree(got, want, **near):
    return difference(Check("v", got, want, **near)) is None


def test_the_first_difference_is_told():
    want = f32([1, 2, 3, 4])
    said = difference(Check("out", f32([1, 2, 5, 6]), want))
    assert said == "out[2]: got np.float32(5.0), recorded np.float32(3.0) (2 of 4 differ)"
    square = difference(Check("out", f32([[1, 2], [3, 0]]), want.reshape(2, 2)))
    assert square.startswith("out[3]: got np.float32(0.0)")


def test_type_and_shape_must_be_equal():
    want = f32([[1, 2]])
    assert difference(Check("v", np.float64([[1, 2]]), want)) == (
        "v: got float64(1, 2), recorded float32(1, 2)"
    )
    assert "float32(2,)" in difference(Check("v", f32([1, 2]), want))
    assert agree(f32(1), np.array(1, f32)) and not agree(f32([1]), np.array(1, f32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_bits_decide(dtype):
    one, nan = np.ones(1, dtype), np.full(1, np.nan, dtype)
    assert agree(one, one) and agree(-nan, nan) and not agree(nan, one)
    assert not agree(np.nextafter(one, one * 2), one)
    assert not agree(-np.zeros(1, dtype), np.zeros(1, dtype))
    assert agree(-np.zeros(1, dtype), np.zeros(1, dtype), signed_zero=False)


def test_units_in_the_last_place():
    assert agree(f32([NEXT]), f32([1]), ulps=1)
    assert not agree(f32([np.nextafter(NEXT, f32(2))]), f32([1]), ulps=1)
    assert not agree(f32([np.inf]), f32([1]), ulps=1)
    assert agree(f32([np.inf]), f32([np.inf]), ulps=1)


def test_relative_and_absolute_tolerance():
    want = f32([100, 0])
    assert agree(f32([100.5, 0]), want, rtol=0.01)
    assert not agree(f32([100.5, 0.5]), want, rtol=0.01)
    assert agree(f32([100, 0.5]), want, atol=np.array([0, 1]))
    assert not agree(f32([100.5, 0]), want, atol=np.array([0, 1]))
    assert not agree(f32([np.nan, 0]), want, atol=1.0)


def test_whole_numbers_and_switches():
    assert agree(np.int8([1, 2]), np.int8([1, 2])) and not agree(np.int8([1, 3]), np.int8([1, 2]))
    assert agree(np.int8([1, 3]), np.int8([1, 2]), atol=1)
    assert not agree(np.uint8([0]), np.uint8([255]), atol=1)
    assert agree(np.array([True]), np.array([True]))
    assert not agree(np.array([True]), np.array([False]))


def test_words_and_numbers_compare_by_value():
    assert agree("ValueError", "ValueError") and agree(np.int64(3), 3)
    assert agree(float("nan"), float("nan"))
    assert difference(Check("v", "nothing", "ValueError")) == (
        "v: got 'nothing', recorded 'ValueError'"
    )


def test_tensors_compare_as_arrays():
    assert agree(torch.tensor([1.0, 2.0]), f32([1, 2]))
    assert difference(Check("v", torch.tensor([1.0, 5.0]), f32([1, 2]))).startswith("v[1]")


def test_empty_arrays_are_equal():
    assert agree(np.zeros((0, 3), f32), np.zeros((0, 3), f32))
    assert not agree(np.zeros((0, 3), f32), np.zeros((3, 0), f32))
