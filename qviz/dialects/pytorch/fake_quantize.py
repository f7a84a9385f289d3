"""PyTorch's fake-quantize functions with one scale, by their own names."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.affine import TorchAffineQuantizer
from qviz.dialects.pytorch.errors import TorchNotImplementedError, TorchRuntimeError
from qviz.dialects.pytorch.names import handed
from qviz.dialects.pytorch.whole import fake_quantized
from qviz.xp import Array

FLOATS = ("float16", "bfloat16", "float32", "float64")


def fake_quantize_per_tensor_affine(
    input: Any,
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
    *,
    out: Any = None,
) -> Array:
    """Fake-quantized values, (clamp(zero_point + rint(x / scale)) - zero_point) * scale.

    Float32; x / scale is x * (1 / scale). ``scale`` and ``zero_point`` are numbers, or arrays of
    one element; only numbers are checked. The result has the type of ``input``; float64 gets
    float32 precision. NaN becomes the lowest level. ``out`` (not in PyTorch) is a buffer to fill.

    Raises
    ------
    TorchRuntimeError
        ``quant_min`` above ``quant_max``; a number ``zero_point`` outside them.
    TorchNotImplementedError
        Elements that are no floating-point numbers.
    """
    x, grid = prepared(input, scale, zero_point, (quant_min, quant_max))
    back = fake_quantized(x, grid, None if out is None else xp.enter(out))
    return handed(back, input) if out is None else out


def fake_quantize_per_tensor_affine_cachemask(
    input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> tuple[Array, Array]:
    """The fake-quantized values, and the mask of those whose code needed no clamp."""
    x, grid = prepared(input, scale, zero_point, (quant_min, quant_max))
    codes = grid.encode(x.reshape(1, -1)).reshape(x.shape)
    mask = (codes >= quant_min) & (codes <= quant_max)
    return handed(fake_quantized(x, grid), input), handed(mask, input)


def fake_quantize_per_tensor_affine_cachemask_backward(grad: Array, mask: Array) -> Array:
    """Straight-through: the gradient where the code needed no clamp, else 0."""
    return grad * mask


def prepared(
    input: Any, scale: Any, zero_point: Any, ends: tuple[int, int]
) -> tuple[Array, TorchAffineQuantizer]:
    """The entered input and its grid, after PyTorch's checks."""
    ordered(*ends)
    step, zero = one(scale, "scale"), int(one(zero_point, "zero_point"))
    if isinstance(zero_point, Real) and not ends[0] <= zero <= ends[1]:
        raise TorchRuntimeError(
            f"Zero point {zero} is none of the codes {ends[0]} to {ends[1]}.",
            "As a number it must be; as a tensor PyTorch does not check it.",
            "Choose one of them.",
        )
    with np.errstate(over="ignore"):
        scales = np.full(1, step, np.float32)
    grid = TorchAffineQuantizer(scales, np.full(1, zero, np.int64), *ends)
    return entered(input), grid


def entered(input: Any) -> Array:
    """The input as an array of floating-point numbers."""
    x = xp.enter(input)
    if xp.dtype_name(x) not in FLOATS:
        raise TorchNotImplementedError(
            f"Fake quantization of {xp.dtype_name(x)} is not implemented.",
            f"Types: {', '.join(FLOATS)}.",
            "Convert the tensor.",
        )
    return x


def ordered(quant_min: int, quant_max: int) -> None:
    """Refuse codes that run backwards."""
    if quant_min > quant_max:
        raise TorchRuntimeError(
            f"quant_min {quant_min} is above quant_max {quant_max}.", "", "Exchange them."
        )


def one(value: Any, name: str) -> Any:
    """A number, or the only element of an array."""
    if isinstance(value, Real):
        return value
    array = xp.host(xp.enter(value))
    if array.size != 1:
        raise TorchRuntimeError(f"{name} has {array.size} elements.", "", "Give one.")
    return array.reshape(-1)[0]
