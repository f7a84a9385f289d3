"""Scale and zero point beside onnxruntime's, and the grid they make."""

import numpy as np
import pytest
import torch
from onnx import TensorProto
from onnxruntime.quantization.quant_utils import compute_scale_zp, quantize_nparray

from qviz.dialects.onnxruntime.affine import OrtAffine, scale_and_zero
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec, Range

CODES = {
    "int8": (np.int8(-128), np.int8(127)),
    "uint8": (np.uint8(0), np.uint8(255)),
    "narrow": (np.int8(-127), np.int8(127)),
    "uint16": (np.uint16(0), np.uint16(65_535)),
    "int4": (np.int8(-8), np.int8(7)),
}


def found(lo, hi, ends, symmetric=False, kind=np.float32):
    scale, zero = scale_and_zero(np.array([lo], kind), np.array([hi], kind), ends, symmetric)
    return float(scale[0]), int(zero[0])


def test_by_hand():
    assert found(-1, 1.55, (0, 255)) == (np.float32(0.01), 100)
    assert found(1, 2.55, (0, 255)) == (np.float32(0.01), 0)  # stretched to hold 0
    assert found(-1, 0.5, (-127, 127), True) == (np.float32(1 / 127), 0)
    assert found(-1, 0.5, (0, 255), True) == (np.float32(2 / 255), 128)
    assert found(0, 0, (-128, 127)) == (1, 0)
    assert found(0, 2.0**-126 * 254, (0, 255)) == (1, 0)  # the scale is below 2^-126
    assert found(0, 2.0**-126 * 255, (0, 255)) == (2.0**-126, 0)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("codes", CODES)
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_scales_are_onnxruntimes(codes, symmetric, kind):
    rng = np.random.default_rng(0)
    low, high = CODES[codes]
    powers = rng.uniform(-42, 37, 200) if kind is np.float32 else rng.uniform(-8, 4, 200)
    for power in powers:
        lo, hi = np.sort(rng.standard_normal(2) * 10.0**power).astype(kind)
        zero, scale = compute_scale_zp(
            np.array(lo), np.array(hi), np.array(low), np.array(high), symmetric
        )
        ours = found(lo, hi, (int(low), int(high)), symmetric, kind)
        assert ours == (float(scale), int(zero))


@pytest.mark.parametrize("signed", [False, True])
def test_codes_are_onnxruntimes(signed):
    x = np.random.default_rng(1).normal(0, 2, 5000).astype(np.float32)
    spec, kind = QuantSpec(8, signed=signed), TensorProto.INT8 if signed else TensorProto.UINT8
    grid = OrtAffine().quantizer(Range(np.float64(-3), np.float64(2)), spec)
    zero, scale = grid.zero_point[0], grid.scale[0]
    wanted = quantize_nparray(kind, x, scale, np.array(zero, np.float32))
    assert grid.quantize(x[None])[0].tolist() == wanted.tolist()
    tensors = grid.quantize(torch.from_numpy(x[None]))
    assert tensors.dtype == torch.float32 and tensors[0].tolist() == wanted.tolist()


def test_half_goes_to_the_even_code_before_the_zero_point_is_added():
    grid = OrtAffine().quantizer(Range(np.float64(-1), np.float64(254)), QuantSpec(8))
    assert (grid.scale[0], grid.zero_point[0]) == (1, 1)
    x = np.float32([[0.5, 1.5, 2.5, -0.5, 300, -9]])
    assert grid.encode(x).tolist() == [[1, 3, 3, 1, 301, -8]]
    assert grid.quantize(x).tolist() == [[1, 3, 3, 1, 255, 0]]
    assert grid.fake_quantize(x).tolist() == [[0, 2, 2, 0, 254, -1]]


def test_what_is_refused():
    mode = OrtAffine()
    above = QuantSpec(8, quant_min=3, quant_max=9)
    assert "0 among the codes" in mode.accepts(Target.of(above, mode=mode))
    assert mode.accepts(Target.of(QuantSpec(8), mode=mode)) is None
    with pytest.raises(QvizError, match="has no scale"):
        mode.quantizer(Range(np.float64(0), np.float64(1e39)), QuantSpec(8))
    with pytest.raises(QvizError, match="too wide"):
        mode.quantizer(Range(np.float64(-3e38), np.float64(3e38)), QuantSpec(1))
