"""The two functions beside the calibrators."""

import inspect

import numpy as np
import onnxruntime.quantization.quant_utils as theirs
import pytest
import torch
from onnx import TensorProto

from qviz.dialects.onnxruntime import InvalidValue, compute_scale_zp, compute_scale_zp_float8


@pytest.mark.parametrize("name", ["compute_scale_zp", "compute_scale_zp_float8"])
def test_arguments_are_onnxruntimes(name):
    ours = {
        "compute_scale_zp": compute_scale_zp,
        "compute_scale_zp_float8": compute_scale_zp_float8,
    }
    names = [(p.name, p.default) for p in inspect.signature(ours[name]).parameters.values()]
    found = inspect.signature(getattr(theirs, name)).parameters.values()
    assert names == [(p.name, p.default) for p in found]


@pytest.mark.parametrize("least", [None, 1e-3, 5.0])
@pytest.mark.parametrize("symmetric", [False, True])
def test_scale_and_zero_point(least, symmetric):
    rng = np.random.default_rng(2)
    for _ in range(100):
        lo, hi = np.sort(rng.standard_normal(2)).astype(np.float32)
        given = (np.array(lo), np.array(hi), np.array(0, np.uint8), np.array(255, np.uint8))
        wanted = theirs.compute_scale_zp(*given, symmetric, least)
        found = compute_scale_zp(*given, symmetric, least)
        assert [float(v) for v in found] == [float(v) for v in wanted]
        assert [v.dtype for v in found] == [v.dtype for v in wanted]


def test_plain_numbers_are_float32():
    zero, scale = compute_scale_zp(-1.0, 1.55, 0, 255)
    assert (zero, scale, scale.dtype.name) == (100, np.float32(0.01), "float32")
    with pytest.raises(InvalidValue, match="leave out 0"):
        compute_scale_zp(-1.0, 1.0, 1, 255)


@pytest.mark.parametrize("kind", [TensorProto.FLOAT8E4M3FN, "float8e4m3fn", "x.FLOAT8E4M3FN"])
def test_the_float8_scale(kind):
    zero, scale = compute_scale_zp_float8(kind, np.array(1, np.float32))
    assert zero == 0 and scale == pytest.approx(0.00999423, rel=1e-6)
    assert scale.dtype == np.float32
    _, tensor = compute_scale_zp_float8(kind, torch.tensor(1.0))
    assert isinstance(tensor, torch.Tensor) and float(tensor) == float(scale)
    with pytest.raises(InvalidValue, match="FLOAT8E4M3FN is"):
        compute_scale_zp_float8(TensorProto.FLOAT8E5M2, np.float32(1))
