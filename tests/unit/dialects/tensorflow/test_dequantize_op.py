"""Dequantize: types, axes, bfloat16, the top of qint32."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow import dequantize_op
from qviz.dialects.tensorflow.dequantize_op import DequantizeOp
from qviz.dialects.tensorflow.errors import InvalidArgument, Unimplemented

f32 = np.float32
CODES = np.uint8([[0, 255, 51], [51, 0, 255]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32"])
@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
def test_the_type_of_the_codes_is_the_types(dtype, mode):
    codes = np.array([0, 1, 100], dtype)
    got = DequantizeOp(mode)(codes, -1.0, 1.0)
    theirs = DequantizeOp(mode)(torch.from_numpy(codes), -1.0, 1.0)
    assert got.dtype == f32 and theirs.dtype == torch.float32
    assert theirs.numpy().tobytes() == got.tobytes()


def test_slices_have_ranges_of_their_own():
    got = DequantizeOp(axis=1)(CODES, f32([0, 1, 2]), f32([255, 2, 7]))
    assert got.tolist() == [[0, 2, 3], [51, 1, 7]]


def test_slices_have_ranges_of_their_own_in_scaled():
    got = DequantizeOp("SCALED", axis=0)(CODES, f32([0, 0]), f32([255, 5]))
    assert got.tolist() == [[0, 255, 51], [1, 0, 5]]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_an_axis_of_one_slice_is_the_whole_tensor(shape):
    low, high = np.zeros(shape, f32), np.full(shape, 255, f32)
    for op in (DequantizeOp("MIN_FIRST", axis=0), DequantizeOp("MIN_FIRST")):
        assert op(CODES[:1], low, high).tolist() == [[0, 255, 51]]


def test_the_top_of_qint32_becomes_the_bottom_in_scaled():
    codes = np.int32([2**31 - 1, 2147483584, 2147483583])
    whole = DequantizeOp("SCALED")(codes, -1.0, 1.0)
    assert whole.tolist() == [-1, -1, f32(1 - 2.0**-24)]
    both = np.stack([codes, codes])
    by_axis = DequantizeOp("SCALED", axis=0)(both, f32([-1, -1]), f32([1, 1]))
    assert by_axis[0].tolist() == [1, 1, f32(1 - 2.0**-24)]
    assert DequantizeOp("MIN_COMBINED")(codes, -1.0, 1.0)[0] == 1


def patterns(*values):
    """As DequantizeOp gives them for these float32 results."""
    return dequantize_op._bfloat16(f32(values)).tolist()


def test_bfloat16_patterns():
    ties = np.uint32([0x3F808000, 0x3F818000, 0x3F808001, 0xBF808000]).view(f32)
    assert patterns(*ties) == [0x3F80, 0x3F82, 0x3F81, 0xBF80]
    nan = np.uint32([0x7F800001, 0xFFFFFFFF]).view(f32)
    assert patterns(*nan) == [0x7FC0, 0xFFC0]
    assert patterns(np.inf, -np.inf, 0.0, -0.0, np.finfo(f32).max) == [
        0x7F80,
        0xFF80,
        0,
        0x8000,
        0x7F80,
    ]


def test_bfloat16_comes_in_the_kind_of_the_input():
    op = DequantizeOp(dtype="bfloat16")
    got = op(CODES, 0.0, 1.0)
    assert got.dtype == np.uint16 and got[0].tolist() == [0, 0x3F80, 0x3E4D]
    theirs = op(torch.from_numpy(CODES), 0.0, 1.0)
    assert theirs.dtype == torch.bfloat16
    assert np.array_equal(theirs.view(torch.uint16).numpy(), got)


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"mode": "FIRST"}, "No mode is called"),
        ({"dtype": "float16"}, "float16 is no output"),
        ({"mode": "SCALED", "dtype": "bfloat16"}, "Only MIN_COMBINED"),
        ({"mode": "MIN_FIRST", "dtype": "bfloat16"}, "Only MIN_COMBINED"),
    ],
)
def test_attributes_that_do_not_exist(attributes, says):
    with pytest.raises(InvalidArgument, match=says):
        DequantizeOp(**attributes)


TWO, THREE = np.zeros(2, f32), np.zeros(3, f32)


@pytest.mark.parametrize(
    ("mode", "axis", "bound", "error", "says"),
    [
        ("SCALED", -1, TWO, InvalidArgument, "1 of each"),
        ("SCALED", 1, TWO, InvalidArgument, "3 of each"),
        ("SCALED", 1, THREE[:, None], InvalidArgument, "1-D with 3"),
        ("SCALED", 2, THREE, InvalidArgument, "Axis 2"),
        ("MIN_FIRST", 1, THREE, Unimplemented, "axis of size 3"),
        ("MIN_FIRST", 1, THREE[:, None], Unimplemented, "axis of size 3"),
        ("MIN_FIRST", 1, TWO, InvalidArgument, "3 of each"),
    ],
)
def test_refusals(mode, axis, bound, error, says):
    with pytest.raises(error, match=says):
        DequantizeOp(mode, axis=axis)(CODES, bound, bound)


def test_no_quantized_type():
    for codes in (np.int64([1]), f32([1]), [1]):
        with pytest.raises(InvalidArgument, match="no quantized type"):
            DequantizeOp()(codes, 0.0, 1.0)
