"""Real quantization: ties, NaN, wraps, dynamic qparams; and its modes."""

import warnings

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch import (
    _choose_qparams_per_tensor,
    quantize_per_channel,
    quantize_per_tensor,
)
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range
from tests.unit.dialects.pytorch.oracle import batch, outcome, same

TYPES = ("qint8", "quint8", "qint32")


def test_ties_differ_from_fake_quantization():
    made = quantize_per_tensor(np.float32([0.5, 1.5]), 1.0, 1, "quint8")
    assert made.int_repr().tolist() == [2, 2] and made.dequantize().tolist() == [1, 1]
    assert made.int_repr().dtype == np.uint8
    assert (made.q_scale(), made.q_zero_point()) == (1.0, 1)


def test_nan_infinities_and_the_nearer_end():
    x = np.float32([np.nan, np.inf, -np.inf, 1e30])
    assert quantize_per_tensor(x, 1.0, 0, "qint8").int_repr().tolist() == [127, 127, -128, 127]
    assert quantize_per_tensor(x, 1.0, 0, "qint32").int_repr().tolist()[0] == -(2**31)
    one = quantize_per_channel(x[None], np.float32([1]), np.int64([5]), 0, "quint8")
    assert one.int_repr().tolist() == [[0, 255, 0, 255]]


def test_32_bits_wrap_with_one_scale_only():
    x = np.float32([[-3e9]])
    whole = quantize_per_tensor(x, 1.0, 5, "qint32")
    assert whole.dequantize().tolist() == [[np.float32(2**31 - 5)]]
    channels = quantize_per_channel(x, np.float32([1]), np.int64([5]), 0, torch.qint32)
    assert channels.dequantize().tolist() == [[-np.float32(2**31)]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: quantize_per_tensor(np.zeros(2), 1.0, 0, "qint8"),
        lambda: quantize_per_tensor(np.zeros(2, np.float32), 1.0, 256, "quint8"),
        lambda: quantize_per_tensor(np.zeros(2, np.float32), 1.0, 0, "int8"),
        lambda: quantize_per_channel(np.zeros((2, 1), np.float32), [1.0], [0], 0, "qint8"),
        lambda: quantize_per_channel(np.zeros((2, 1), np.float32), [1.0], [0], -1, "qint8"),
        lambda: _choose_qparams_per_tensor(np.zeros(0, np.float32)),
        lambda: _choose_qparams_per_tensor(np.float32([np.nan])),
    ],
)
def test_refusals(call):
    with pytest.raises(RuntimeError):
        call()


def test_dynamic_qparams():
    assert _choose_qparams_per_tensor(np.float32([-1, 254])) == (1.0, 1)
    assert _choose_qparams_per_tensor(np.float32([-1, 126]), reduce_range=True) == (1.0, 1)
    assert _choose_qparams_per_tensor(np.zeros(3, np.float32)) == (0.1, 0)
    scale, zero = _choose_qparams_per_tensor(np.float32([-1e-5, 1e-5]))
    assert scale == float(np.float32(6.1e-5)) and zero == 128


@pytest.mark.parametrize("seed", range(120))
def test_torch_says_the_same(seed):
    rng = np.random.default_rng(seed)
    shape = ((40,), (4, 10), (2, 3, 5))[seed % 3]
    scale, name = float(10.0 ** rng.uniform(-3, 1)), TYPES[rng.integers(3)]
    low, high = (-300, 300) if name == "qint32" else ((0, 255), (-128, 127))[name == "qint8"]
    x, zero = batch(rng, shape, scale, odd=True), int(rng.integers(low, high + 1))
    tensor = torch.from_numpy(x)
    axis = int(rng.integers(len(shape)))
    scales = (10.0 ** rng.uniform(-3, 1, shape[axis])).astype(np.float32)
    zeros = rng.integers(low, high + 1, shape[axis])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these operators are deprecated
        whole = torch.quantize_per_tensor(tensor, scale, zero, getattr(torch, name))
        channels = torch.quantize_per_channel(
            tensor, torch.from_numpy(scales), torch.from_numpy(zeros), axis, getattr(torch, name)
        )
    for given in (x, tensor):
        ours = quantize_per_tensor(given, scale, zero, name)
        assert same((ours.int_repr(), ours.dequantize()), (whole.int_repr(), whole.dequantize()))
        ours = quantize_per_channel(given, scales, zeros, axis, name)
        want = (channels.int_repr(), channels.dequantize())
        assert same((ours.int_repr(), ours.dequantize()), want)
    reduce = bool(seed % 2)
    want = outcome(lambda: torch._choose_qparams_per_tensor(tensor, reduce))
    assert same(outcome(lambda: _choose_qparams_per_tensor(x, reduce)), want)


CHANNELS = Granularity("per_channel", 0)


@pytest.mark.parametrize(
    ("mode", "spec", "granularity", "reason"),
    [
        ("torch.quantize_per_tensor", QuantSpec(8), CHANNELS, None),
        ("torch.quantize_per_tensor", QuantSpec(4), CHANNELS, "all codes"),
        ("torch.quantize_per_channel", QuantSpec(8, signed=True), CHANNELS, None),
        ("torch.quantize_per_channel", QuantSpec(8), Granularity(), "another kernel"),
        ("torch.dynamic", QuantSpec(8), Granularity(), None),
        ("torch.dynamic", QuantSpec(8, reduce_range=True), Granularity(), None),
        ("torch.dynamic", QuantSpec(8, signed=True), Granularity(), "0 to 255"),
    ],
)
def test_what_the_modes_serve(mode, spec, granularity, reason):
    target = Target.of(spec, granularity, mode)
    said = target.mode.accepts(target)
    assert said is None if reason is None else reason in said


def test_grids_of_the_modes():
    range = Range(-1.0, 254.0)
    for mode in ("torch.quantize_per_tensor", "torch.quantize_per_channel", "torch.dynamic"):
        grid = QUANTIZERS.make(mode).quantizer(range, QuantSpec(8))
        assert grid.quantize(np.float32([[0.5, 1.5]])).tolist() == [[2, 2]]
        assert grid.levels(0, 2).tolist() == [[-1, 0, 1]]
    nan = np.float32([[np.nan]])
    codes = [QUANTIZERS.make(m).quantizer(range, QuantSpec(8)).quantize(nan) for m in TWO]
    assert [c.tolist() for c in codes] == [[[255]], [[0]]]


TWO = ("torch.quantize_per_tensor", "torch.quantize_per_channel")
