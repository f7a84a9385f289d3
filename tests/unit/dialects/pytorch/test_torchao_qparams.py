"""torchao's mappings, types and zero points by hand."""

import numpy as np
import pytest

from qviz.dialects.pytorch.torchao_qparams import AffineRule, bounds, checked_codes, converted

LO, HI = np.float32([-1, 2, -4]), np.float32([3, 6, -2])


def found(mapping, ends=(-128, 127), **given):
    return AffineRule(mapping, ends, **given).qparams(LO, HI)


def test_asymmetric():
    scale, zero = found("ASYMMETRIC", (0, 255))
    assert scale.tolist() == [np.float32(v) / np.float32(255) for v in (4, 6, 4)]
    assert zero.tolist() == [64, 0, 255] and zero.dtype == np.int32
    assert found("ASYMMETRIC", (0, 255), api="pt2e")[1].dtype == np.float32


def test_symmetric():
    scale, zero = found("SYMMETRIC")
    assert scale.tolist() == [np.float32(v) / np.float32(127.5) for v in (3, 6, 4)]
    assert zero.tolist() == [0, 0, 0] and zero.dtype == np.float32
    assert found("SYMMETRIC", (0, 255))[1].tolist() == [128] * 3
    assert found("SYMMETRIC", (-8, 3))[1].tolist() == [-2] * 3  # int() of -2.0
    assert found("SYMMETRIC", (-9, 3))[1].tolist() == [-2] * 3  # int() of -2.5, towards 0


def test_no_clipping_divides_each_side_by_its_own_end():
    scale, _ = found("SYMMETRIC_NO_CLIPPING_ERR")
    ends = [np.float32(3) / np.float32(127), np.float32(6) / np.float32(127), np.float32(4) / 128]
    assert scale.tolist() == ends
    nothing_below = found("SYMMETRIC_NO_CLIPPING_ERR", (0, 15))[0]
    assert nothing_below.tolist()[1] == np.float32(6) / np.float32(15)


def test_the_smallest_scale_differs_between_the_families():
    nothing = np.zeros(1, np.float32)
    for api, eps in (("ao", 2.0**-126), ("pt2e", 2.0**-23)):
        rule = AffineRule("SYMMETRIC", (-128, 127), api=api)
        assert rule.qparams(nothing, nothing)[0].tolist() == [eps]
    assert AffineRule("SYMMETRIC", (-8, 7), 0.5).qparams(nothing, nothing)[0].tolist() == [0.5]


def test_real_zero_points_of_pt2e():
    scale, zero = found("ASYMMETRIC", (0, 15), api="pt2e", preserve_zero=False, domain="FLOAT")
    step = np.float32(4) / np.float32(15)
    assert scale[0] == step and zero[0] == np.float32(-1) + step * np.float32(8)
    assert found("ASYMMETRIC", (0, 15), preserve_zero=False)[1].dtype == np.int32  # ao ignores it
    for given in ({"preserve_zero": False}, {"domain": "FLOAT"}):
        with pytest.raises(ValueError, match="Symmetric"):
            found("SYMMETRIC", api="pt2e", **given)


def test_no_zero_point_and_other_types():
    assert found("SYMMETRIC", domain="NONE")[1] is None
    scale, zero = found("SYMMETRIC", scale_dtype="float64", zero_point_dtype="int8")
    assert (scale.dtype, zero.dtype) == (np.float64, np.int8)
    nan = converted(np.float32([np.nan, 3e9, 2]), "int32")
    assert nan.tolist() == [-(2**31), -(2**31), 2]
    with pytest.raises(ValueError, match="float8"):
        converted(LO, "float8_e5m2")


@pytest.mark.parametrize(
    ("dtype", "ends"),
    [
        ("int4", (-8, 7)),
        ("uint1", (0, 1)),
        ("torch.uint7", (0, 127)),
        ("INT4", (-8, 7)),
        ("int16", (-32768, 32767)),
        ("float8_e4m3fn", (-448, 448)),
        ("float8_e5m2", (-57344, 57344)),
    ],
)
def test_codes_of_the_types(dtype, ends):
    assert bounds(dtype) == ends
    assert checked_codes(dtype, None, ends[1]) == ends
    with pytest.raises(AssertionError, match="out of bound"):
        checked_codes(dtype, ends[0] - 1, None)


@pytest.mark.parametrize("dtype", ["uint16", "int9", "quint8", "float32", "int", "8"])
def test_other_types(dtype):
    with pytest.raises(ValueError, match="no target type"):
        bounds(dtype)
