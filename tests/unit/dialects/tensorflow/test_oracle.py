"""Random values through TensorFlow itself, where it is installed."""

import importlib
import os
from importlib.util import find_spec

import numpy as np
import pytest

from qviz.dialects import tensorflow as ours
from tests.golden.loader import same

if find_spec("tensorflow") is None:
    pytest.skip("TensorFlow is not installed", allow_module_level=True)

pytestmark = pytest.mark.slow
f32 = np.float32
KINDS = ("qint8", "quint8", "qint16", "quint16", "qint32")
BOUNDS = ((-1, 1), (-0.3, 2.7), (0.5, 3), (-4, -1), (0, 0), (1, 1), (-1e-40, 1e-39))


@pytest.fixture(scope="module")
def theirs():
    """TensorFlow with the kernels that were measured: oneDNN replaces some of them."""
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    return importlib.import_module("tensorflow")


@pytest.fixture
def x():
    rng = np.random.default_rng(0)
    near = np.arange(-600, 600).astype(f32) / f32(255)
    return np.concatenate([rng.normal(size=4000).astype(f32) * 2, near, f32([0.0, -0.0, 1e-40])])


def agree(found, wanted):
    found = found if isinstance(found, tuple) else (found,)
    wanted = wanted if isinstance(wanted, list | tuple) else (wanted,)
    for one, other in zip(found, map(np.asarray, wanted), strict=True):
        name = other.dtype.name
        assert same(one, other.astype(name[1:] if name in KINDS else name))


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
def test_quantize_and_back(theirs, x, mode, kind, bounds):
    real = theirs.quantization
    low, high = f32(bounds)
    wanted = real.quantize(x, low, high, getattr(theirs, kind), mode)
    found = ours.quantize(x, low, high, kind, mode)
    agree(found, wanted)
    back = real.dequantize(*wanted, mode)
    agree(ours.dequantize(*found, mode), back)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("bits", [2, 8, 16])
@pytest.mark.parametrize("narrow", [False, True])
def test_fake_quant(theirs, x, bits, narrow, bounds):
    real, rule = theirs.quantization, {"num_bits": bits, "narrow_range": narrow}
    low, high = f32(bounds)
    wanted = real.fake_quant_with_min_max_vars(x, low, high, **rule)
    agree(ours.fake_quant_with_min_max_vars(x, low, high, **rule), wanted)
    wanted = real.fake_quant_with_min_max_vars_per_channel(x[:, None], [low], [high], **rule)
    found = ours.fake_quant_with_min_max_vars_per_channel(x[:, None], [low], [high], **rule)
    agree(found, wanted)
    g = (np.arange(x.size) % 7 - 3).astype(f32)
    wanted = real.fake_quant_with_min_max_vars_gradient(g, x, low, high, **rule)
    agree(ours.fake_quant_with_min_max_vars_gradient(g, x, low, high, **rule), wanted)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("tie", ["HALF_TO_EVEN", "HALF_UP"])
def test_quantize_and_dequantize(theirs, x, tie, signed, given, bounds):
    rule = {"signed_input": signed, "range_given": given, "round_mode": tie}
    for name in ("quantize_and_dequantize", "quantize_and_dequantize_v2"):
        for kind in (f32, np.float64):
            low, high = kind(bounds)
            wanted = getattr(theirs.quantization, name)(x.astype(kind), low, high, **rule)
            agree(getattr(ours, name)(x.astype(kind), low, high, **rule), wanted)


def test_quantized_concat(theirs):
    codes = [np.arange(256, dtype=np.uint8), np.arange(200, dtype=np.uint8)]
    mins, maxes = f32([-1, -0.3]), f32([1, 2.7])
    quantized = [theirs.bitcast(c, theirs.quint8) for c in codes]
    wanted = theirs.quantization.quantized_concat(0, quantized, list(mins), list(maxes))
    agree(ours.quantized_concat(0, codes, mins, maxes), wanted)
