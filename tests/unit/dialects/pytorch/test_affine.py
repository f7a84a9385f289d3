"""torch.affine: ties, NaN, types, and which codes PyTorch has."""

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch.affine import TorchAffine, TorchAffineQuantizer, storage_zero
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec, Range
from tests.golden.loader import same


def grid_of(scale=1.0, zero=0, first=0, last=255):
    return TorchAffineQuantizer(np.float32([scale]), np.array([zero]), first, last)


def test_the_zero_point_is_added_after_rounding():
    x = np.float32([[0.5, 1.5, -0.5]])
    assert grid_of(zero=1).quantize(x).tolist() == [[1, 3, 1]]
    assert grid_of(zero=1).fake_quantize(x).tolist() == [[0, 2, 0]]


def test_the_product_with_the_reciprocal_decides_ties():
    # Symmetric 8 bits, [-1, 1]: 1 lies on the tie at 127.5 steps and comes back as 127 steps.
    grid = TorchAffine().quantizer(Range(-1.0, 1.0), QuantSpec(8, signed=True, symmetric=True))
    back = grid.fake_quantize(np.float32([[-1, 1]]))
    assert back[0] == pytest.approx([-0.9961, 0.9961], abs=5e-5)


def test_odd_elements():
    x = np.float32([[np.nan, np.inf, -np.inf, 3e38]])
    grid = grid_of(0.5, 10)
    assert grid.fake_quantize(x).tolist() == [[-5, 122.5, -5, 122.5]]
    assert grid.encode(x)[0, 0] < 0  # NaN counts as below the lowest code ...
    grads = grid.backward(x, np.ones((1, 4), np.float32))
    assert grads.input.tolist() == [[0, 0, 0, 0]]  # ... and gets no gradient


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_torch_says_the_same(dtype):
    rng = np.random.default_rng(4)
    x = (rng.normal(0, 30, (1, 4000))).astype(dtype)
    scale, zero = np.float32(0.1234), 7
    want = torch.fake_quantize_per_tensor_affine(torch.from_numpy(x), float(scale), zero, -128, 127)
    for rows in (x, torch.from_numpy(x)):
        back = np.asarray(grid_of(scale, zero, -128, 127).fake_quantize(rows))
        assert same(back.astype(dtype), want.numpy(), zeros_alike=True)


def test_levels_and_qparams():
    grid = TorchAffine().quantizer(Range(-1.0, 254.0), QuantSpec(8))
    assert grid.levels(0, 2).tolist() == [[-1, 0, 1]]
    assert grid.qparams()["scale"].tolist() == [1]
    assert grid.qparams()["zero_point"].tolist() == [1]
    assert grid.ends == (0, 255)


@pytest.mark.parametrize(
    ("spec", "zero"),
    [
        (QuantSpec(8, symmetric=True), 128),
        (QuantSpec(8, symmetric=True, reduce_range=True), 128),  # outside 0 to 127, as there
        (QuantSpec(8, symmetric=True, quant_min=-18, quant_max=43), 12),
        (QuantSpec(4, symmetric=True), 7),
        (QuantSpec(8, signed=True, symmetric=True), 0),
        (QuantSpec(8, signed=True, symmetric=True, quant_min=-3, quant_max=12), 0),
        (QuantSpec(16, symmetric=True), 32768),
        (QuantSpec(16, signed=True, symmetric=True), 0),
    ],
)
def test_symmetric_zero_points(spec, zero):
    assert storage_zero(spec) == zero
    assert TorchAffine().quantizer(Range(-1.0, 1.0), spec).zero_point.tolist() == [zero]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (QuantSpec(8, quant_min=1, quant_max=5), "needs 0 among"),
        (QuantSpec(8, signed=True, quant_min=0, quant_max=300), "at most 256"),
        (QuantSpec(16, reduce_range=True), "16-bit types"),
        (QuantSpec(12, symmetric=True), "32768"),
        (QuantSpec(8, quant_min=0, quant_max=300), None),
        (QuantSpec(16, signed=True), None),
        (QuantSpec(4, signed=True, symmetric=True, narrow_range=True), None),
    ],
)
def test_codes_that_pytorch_has(spec, reason):
    said = TorchAffine().accepts(Target.of(spec, mode="torch.affine"))
    assert said is None if reason is None else reason in said


@pytest.mark.parametrize(
    ("lo", "hi", "bits"),
    [(-3e38, 3e38, 8), (0.0, float(np.finfo(np.float32).max), 16)],
    ids=["scale", "last level"],
)
def test_a_grid_that_overflows_is_refused(lo, hi, bits):
    with pytest.raises(QvizError, match="overflows float32"):
        TorchAffine().quantizer(Range(lo, hi), QuantSpec(bits))


def test_eps_is_a_knob():
    mode = QUANTIZERS.make("torch.affine:eps=0.5")
    assert QUANTIZERS.spell(mode) == "torch.affine:eps=0.5"
    assert mode.quantizer(Range(0.0, 1.0), QuantSpec(8)).step.tolist() == [0.5]
