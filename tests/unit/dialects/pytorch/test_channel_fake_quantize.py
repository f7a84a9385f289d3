"""Fake quantization with one scale per channel: whole and real zero points, refusals."""

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch import (
    fake_quantize_per_channel_affine,
    fake_quantize_per_channel_affine_cachemask,
)
from qviz.dialects.pytorch.channel_quantizer import TorchChannelQuantizer, TorchFloatQParams
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec, Range
from tests.unit.dialects.pytorch.oracle import batch, outcome, same

ONES, ZEROS = np.ones(3, np.float32), np.zeros(3, np.int32)
X = np.float32([[0.5, 1.5], [2.5, -0.5], [300, -1]])


def test_whole_and_real_zero_points_round_differently():
    scale = np.ones(1, np.float32)
    x = np.float32([[0.5, 1.5, 2.5]])
    whole = fake_quantize_per_channel_affine(x, scale, np.int32([1]), 0, 0, 255)
    real = fake_quantize_per_channel_affine(x, scale, np.float32([1]), 0, 0, 255)
    assert whole.tolist() == [[0, 2, 2]] and real.tolist() == [[1, 1, 3]]


def test_infinities_and_huge_values_go_to_the_bottom():
    x = np.float32([[np.inf, 1e20, 1e10, np.nan, -np.inf]])
    y, mask = fake_quantize_per_channel_affine_cachemask(
        x, np.float32([0.1]), np.int32([0]), 0, -128, 127
    )
    low, high = np.float32(-12.8), np.float32(12.7)
    assert y.tolist() == [[low, low, high, low, low]]
    assert not mask.any()


def test_one_rounding_with_a_float32_zero_point_two_with_a_float16_one():
    # x / scale is a hair below 8.5; the product alone rounds to 8.5
    scale, x = np.float32([0.1]), np.float32([[0.85]])
    product = x[0, 0] * (np.float32(1) / scale[0])
    assert product == np.float32(8.5) and float(x[0, 0]) / 0.1 != 8.5
    grids = [
        TorchChannelQuantizer(scale, np.array([1.0]).astype(kind), 0, 255)
        for kind in ("float32", "float16")
    ]
    exact = float(x[0, 0]) * float(np.float32(1) / scale[0])
    assert grids[0].encode(x)[0, 0] == np.rint(1 + exact)
    assert grids[1].encode(x)[0, 0] == np.rint(np.float32(1) + product)


@pytest.mark.parametrize(
    ("scale", "zero", "axis", "ends", "error"),
    [
        (ONES.astype(np.float64), ZEROS, 0, (0, 255), RuntimeError),
        (ONES, ZEROS.astype(np.int64), 0, (0, 255), RuntimeError),
        (ONES[:2], ZEROS[:2], 0, (0, 255), RuntimeError),
        (ONES, ZEROS[:2], 0, (0, 255), RuntimeError),
        (ONES[:, None], ZEROS[:, None], 0, (0, 255), RuntimeError),
        (ONES[:2], ZEROS[:2], -1, (0, 255), RuntimeError),
        (ONES, ZEROS, 2, (0, 255), IndexError),
        (ONES, ZEROS + 300, 0, (0, 255), RuntimeError),
        (ONES, ZEROS, 0, (5, 1), RuntimeError),
    ],
)
def test_refusals(scale, zero, axis, ends, error):
    with pytest.raises(error):
        fake_quantize_per_channel_affine(X, scale, zero, axis, *ends)


def test_a_real_zero_point_need_be_no_code():
    back = fake_quantize_per_channel_affine(X, ONES, np.float32([300] * 3), 0, 0, 255)
    assert back.tolist() == [[-45, -45], [-45, -45], [-45, -45]]


def test_lists_are_float32_and_int32():
    back = fake_quantize_per_channel_affine(X, [1.0, 1.0, 2.0], [0, 1, 0], 0, 0, 255)
    assert back.tolist() == [[0, 2], [2, 0], [300, 0]]


@pytest.mark.parametrize("seed", range(150))
def test_torch_says_the_same(seed):
    rng = np.random.default_rng(seed)
    low, high = ((-128, 127), (0, 255), (-8, 7), (0, 65535))[seed % 4]
    shape = ((4, 10), (2, 3, 5), (7,), (3, 0))[rng.integers(4)]
    axis = int(rng.integers(len(shape)))
    scale = (10.0 ** rng.uniform(-4, 2, shape[axis])).astype(np.float32)
    zero = rng.uniform(low, high, shape[axis])
    zero = np.round(zero * 2) / 2 if seed % 5 == 0 else zero
    zero = zero.astype(("int32", "float32", "float16")[seed % 3])
    kind = ("float32", "float32", "float64", "float16")[rng.integers(4)]
    with np.errstate(all="ignore"):
        x = batch(rng, shape, float(scale.mean()) if scale.size else 1.0, odd=True).astype(kind)
    tensors = [torch.from_numpy(v) for v in (x, scale, zero)]
    operator = torch.ops.aten.fake_quantize_per_channel_affine_cachemask
    want = outcome(lambda: tuple(operator(*tensors, axis, low, high)))
    ours = fake_quantize_per_channel_affine_cachemask
    assert same(outcome(lambda: ours(x, scale, zero, axis, low, high)), want)
    assert same(outcome(lambda: ours(*tensors, axis, low, high)), want)


def test_the_mode_of_real_zero_points():
    mode, spec = TorchFloatQParams(), QuantSpec(8)
    grid = mode.quantizer(Range(np.array([1.0, -1]), np.array([52.0, 254])), spec)
    assert grid.step.tolist() == [np.float32(0.2), 1] and grid.zero_point.tolist() == [-5, 1]
    assert grid.levels(0, 0)[0, 0] == 1  # the lower end is a level; 0 is none
    channels = Granularity("per_channel", 0)
    assert "per channel only" in mode.accepts(Target.of(spec, mode=mode))
    assert "affine" in mode.accepts(Target.of(QuantSpec(8, symmetric=True), channels, mode))
    assert mode.accepts(Target.of(spec, channels, mode)) is None
