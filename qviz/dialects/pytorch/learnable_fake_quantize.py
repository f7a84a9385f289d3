"""PyTorch's learnable fake-quantize functions and their gradients, by their own names."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.affine import TorchAffineQuantizer
from qviz.dialects.pytorch.channel_fake_quantize import (
    check_axis,
    check_lengths,
    fake_quantize_per_channel_affine,
)
from qviz.dialects.pytorch.errors import TorchRuntimeError
from qviz.dialects.pytorch.fake_quantize import entered, ordered
from qviz.dialects.pytorch.float32 import total
from qviz.dialects.pytorch.learnable import LearnableGradient, shifted
from qviz.dialects.pytorch.names import alike, handed
from qviz.dialects.pytorch.whole import fake_quantized
from qviz.spec import PER_TENSOR, Granularity
from qviz.xp import Array

Gradients = tuple[Array, Array, Array]


def _fake_quantize_learnable_per_tensor_affine(
    input: Any,
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
    grad_factor: float = 1.0,
) -> Array:
    """Fake quantization with zero point clamp(rint(zero_point)); arrays of one element."""
    steps, zeros = _qparams(scale, zero_point)
    whole = _rounded(zeros[:1], quant_min, quant_max).astype(np.int64)
    ordered(quant_min, quant_max)
    grid = TorchAffineQuantizer(steps[:1], whole, quant_min, quant_max)
    return handed(fake_quantized(entered(input), grid), input)


def _fake_quantize_learnable_per_tensor_affine_backward(  # noqa: PLR0913  PyTorch's own arguments
    grad: Any,
    input: Any,
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
    grad_factor: float = 1.0,
) -> Gradients:
    """Gradients of input, scale (1,) and zero point (1,), float32; see LearnableGradient.

    Of no element PyTorch hands back input, scale and zero point themselves.

    Raises
    ------
    TorchRuntimeError
        Elements other than float32, shapes that differ, codes without 0, a NaN zero point.
    """
    x, dy = _pair(input, grad, quant_min, quant_max)
    steps, zeros = _qparams(scale, zero_point)
    _rounded(zeros[:1], quant_min, quant_max)
    if not xp.size(x):
        return handed(x, input), alike(steps, input), alike(zeros, input)
    z = shifted(zeros[:1], (quant_min, quant_max))
    rule = LearnableGradient(steps[:1], z, quant_min, quant_max, grad_factor)
    return _summed(rule, x, dy, input, PER_TENSOR)


def _fake_quantize_learnable_per_channel_affine(  # noqa: PLR0913  PyTorch's own arguments
    input: Any,
    scale: Any,
    zero_point: Any,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float = 1.0,
) -> Array:
    """Fake quantization with whole zero points clamp(rint(zero_point)), (C,)."""
    steps, zeros = _qparams(scale, zero_point)
    z = _rounded(zeros, quant_min, quant_max).astype(np.int32)
    return fake_quantize_per_channel_affine(input, steps, z, axis, quant_min, quant_max)


def _fake_quantize_learnable_per_channel_affine_backward(  # noqa: PLR0913  PyTorch's own arguments
    grad: Any,
    input: Any,
    scale: Any,
    zero_point: Any,
    axis: int,
    quant_min: int,
    quant_max: int,
    grad_factor: float = 1.0,
) -> Gradients:
    """Gradients of input, scale (C,) and zero point (C,), float32; z = clamp(rint(zero_point)).

    Raises
    ------
    TorchRuntimeError
        As per tensor; also qparams that are not one per channel, a negative axis.
    TorchIndexError
        An axis that does not exist.
    """
    x, dy = _pair(input, grad, quant_min, quant_max)
    steps, zeros = _qparams(scale, zero_point)
    check_lengths(tuple(x.shape), steps, zeros, axis)
    z = _rounded(zeros, quant_min, quant_max)
    check_axis(axis)
    if not xp.size(x):
        return handed(x, input), alike(steps, input), alike(zeros, input)
    rule = LearnableGradient(steps, z, quant_min, quant_max, grad_factor)
    return _summed(rule, x, dy, input, Granularity("per_channel", axis))


def _qparams(scale: Any, zero_point: Any) -> tuple[np.ndarray, np.ndarray]:
    scales, zeros = (np.atleast_1d(xp.host(xp.enter(v))) for v in (scale, zero_point))
    return scales.astype(np.float32), zeros.astype(np.float32)


def _rounded(zeros: np.ndarray, quant_min: int, quant_max: int) -> np.ndarray:
    """clamp(rint(zero_point)), float32."""
    if not zeros.size or np.isnan(zeros).any():
        raise TorchRuntimeError(
            "A zero point is NaN, or there is none.", f"Codes are {quant_min} to {quant_max}."
        )
    return np.clip(np.rint(zeros), np.float32(quant_min), np.float32(quant_max))


def _pair(input: Any, grad: Any, quant_min: int, quant_max: int) -> tuple[Array, Array]:
    x, dy = xp.enter(input), xp.enter(grad)
    kinds = {xp.dtype_name(x), xp.dtype_name(dy)}
    if not kinds <= {"float32", "bfloat16"} or x.shape != dy.shape:
        raise TorchRuntimeError(
            f"Input {xp.dtype_name(x)} {tuple(x.shape)}, gradient {xp.dtype_name(dy)} "
            f"{tuple(dy.shape)}.",
            "Both are float32 and of one shape.",
        )
    if not quant_min <= 0 <= quant_max:
        raise TorchRuntimeError(f"Codes {quant_min} to {quant_max} lack 0.", "It must be one.")
    return x, dy


def _summed(
    rule: LearnableGradient, x: Array, dy: Array, input: Any, granularity: Granularity
) -> Gradients:
    """The input's gradient, and the sums of the terms of each group.

    Tensors are summed by torch itself, NumPy arrays in its order where there is one scale. A
    tensor of one axis, the channels', is summed over all of it, as PyTorch does.
    """
    found = rule.terms(granularity.rows(x), granularity.rows(dy))
    sums = (_sum(terms, x, input, granularity) for terms in found.parameters.values())
    return handed(granularity.restore(found.input, x), input), *sums


def _sum(terms: Array, x: Array, input: Any, granularity: Granularity) -> Array:
    one = granularity.kind == "per_tensor"
    if xp.namespace(input) is np:
        rows = np.ascontiguousarray(terms)
        return total(rows) if one or x.ndim > 1 else total(rows.T)[0]
    placed = handed(granularity.restore(terms, x), input).contiguous()
    if one:
        return placed.sum().reshape(1)
    return placed.sum([i for i in range(placed.ndim) if i != granularity.axis])
