"""PyTorch's fake-quantize functions with one scale per channel, by their own names."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.channel_quantizer import TorchChannelQuantizer
from qviz.dialects.pytorch.errors import TorchIndexError, TorchRuntimeError
from qviz.dialects.pytorch.fake_quantize import entered, ordered
from qviz.dialects.pytorch.names import handed
from qviz.spec import Granularity
from qviz.xp import Array


def fake_quantize_per_channel_affine(
    input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Array:
    """Fake quantization with a scale and a zero point for each index of ``axis``.

    The values of TorchChannelQuantizer in the type of ``input``. ``scale`` is float32, (C,);
    ``zero_point`` int32, or float32 and float16 for a real zero point, which is not checked.

    Raises
    ------
    TorchRuntimeError
        Other types or lengths, a negative axis, codes that run backwards, a whole zero point
        outside the codes.
    TorchIndexError
        An axis that does not exist.
    TorchNotImplementedError
        Elements that are no floating-point numbers.
    """
    return fake_quantize_per_channel_affine_cachemask(
        input, scale, zero_point, axis, quant_min, quant_max
    )[0]


def fake_quantize_per_channel_affine_cachemask(
    input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> tuple[Array, Array]:
    """The fake-quantized values, and the mask of those whose code needed no clamp."""
    shape = tuple(xp.enter(input).shape)
    scales, zeros = _typed(scale, zero_point)
    check_lengths(shape, scales, zeros, axis)
    ordered(quant_min, quant_max)
    if zeros.dtype == np.int32:
        _check_zeros(zeros, quant_min, quant_max)
    check_axis(axis)
    x = entered(input)
    double = xp.dtype_name(x) == "float64"
    grid = TorchChannelQuantizer(scales, zeros, quant_min, quant_max, double)
    channels = Granularity("per_channel", axis)
    codes = grid.encode(channels.rows(x))
    mask = (codes >= quant_min) & (codes <= quant_max)
    with np.errstate(over="ignore"):
        back = grid.dequantize(grid.clamped(codes))
        back = xp.astype(channels.restore(back, x), xp.dtype_name(x))
    return handed(back, input), handed(channels.restore(mask, x), input)


def fake_quantize_per_channel_affine_cachemask_backward(grad: Array, mask: Array) -> Array:
    """Straight-through: the gradient where the code needed no clamp, else 0."""
    return grad * mask


def _check_zeros(zeros: np.ndarray, quant_min: int, quant_max: int) -> None:
    """Refuse whole zero points that are no codes, and none at all."""
    if not zeros.size or ((zeros < quant_min) | (zeros > quant_max)).any():
        raise TorchRuntimeError(
            f"A zero point is none of the codes {quant_min} to {quant_max}, or there is none."
        )


def _typed(scale: Any, zero_point: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both on the host, where their types are PyTorch's."""
    scale = scale if hasattr(scale, "dtype") else np.asarray(scale, np.float32)
    zero_point = zero_point if hasattr(zero_point, "dtype") else np.asarray(zero_point, np.int32)
    kinds = xp.dtype_name(scale), xp.dtype_name(zero_point)
    if kinds[0] != "float32" or kinds[1] not in ("int32", "float32", "float16"):
        raise TorchRuntimeError(
            f"Scales are {kinds[0]}, zero points {kinds[1]}.",
            "Scales are float32, zero points int32 (or float32, float16 for real ones).",
            "Convert them.",
        )
    return xp.host(xp.enter(scale)), xp.host(xp.enter(zero_point))


def check_lengths(shape: tuple[int, ...], scales: np.ndarray, zeros: np.ndarray, axis: int) -> None:
    """Refuse qparams that are not one per channel, and axes that do not exist."""
    if scales.ndim != 1 or scales.shape != zeros.shape:
        raise TorchRuntimeError(
            f"Scales of shape {scales.shape}, zero points of shape {zeros.shape}.",
            "Both have one axis, and one length.",
        )
    if not -len(shape) <= axis < len(shape):
        raise TorchIndexError(
            f"Axis {axis} does not exist in a tensor of shape {shape}.", "", "Choose another."
        )
    if shape[axis] != scales.size:
        raise TorchRuntimeError(
            f"{scales.size} scales for {shape[axis]} channels.", "", "Give one per channel."
        )


def check_axis(axis: int) -> None:
    """Refuse an axis counted from the end, as fake quantization does."""
    if axis < 0:
        raise TorchRuntimeError(
            f"Axis {axis} is negative.", "Fake quantization counts from the front."
        )
