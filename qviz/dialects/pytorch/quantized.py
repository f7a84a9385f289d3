"""PyTorch's quantize functions by their own names, and the tensor of codes they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.errors import TorchRuntimeError
from qviz.dialects.pytorch.fake_quantize import one
from qviz.dialects.pytorch.fused_rule import FusedRule
from qviz.dialects.pytorch.names import STORAGE, handed, name_of
from qviz.dialects.pytorch.quantize import INT32, TorchQuantizer
from qviz.dialects.pytorch.running import ends_of
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.base import Batch
from qviz.xp import Array

CODES = {"qint8": "int8", "quint8": "uint8", "qint32": "int32"}


@dataclass(frozen=True, eq=False)
class QuantizedTensor:
    """Codes with their qparams; ``int_repr`` and ``dequantize`` as in PyTorch."""

    codes: Array
    grid: TorchQuantizer
    dtype: str
    granularity: Granularity
    shape: tuple[int, ...]

    def int_repr(self) -> Array:
        """The codes as int8, uint8 or int32."""
        return xp.astype(self.codes, CODES[self.dtype])

    def dequantize(self) -> Array:
        """What the codes stand for, scale * (q - zero_point), float32."""
        back = self.grid.dequantize(self.granularity.rows(self.codes))
        return self.granularity.restore(back, self.codes)

    def q_scale(self) -> float:
        """The scale, where there is one."""
        return float(one(self.grid.scale, "scale"))

    def q_zero_point(self) -> int:
        """The zero point, where there is one."""
        return int(one(self.grid.zero_point, "zero_point"))


def quantize_per_tensor(input: Any, scale: Any, zero_point: Any, dtype: Any) -> QuantizedTensor:
    """Codes clamp(rint(x * (1 / scale) + zero_point)) of qint8, quint8 or qint32.

    ``scale`` and ``zero_point`` are numbers or arrays of one element. With 8 bits the sum is
    rounded once, and NaN becomes the highest code.

    Raises
    ------
    TorchRuntimeError
        Elements other than float32, another type, a zero point that is none of its codes.
    """
    x, name = _float32(input), _type(dtype)
    scales = np.full(1, one(scale, "scale"), np.float32)
    zeros = np.full(1, int(one(zero_point, "zero_point")), np.int64)
    wide = name == "qint32"
    nan = INT32[0] if wide else None
    grid = TorchQuantizer(scales, _codes(zeros, name), *STORAGE[name].limits, not wide, nan, True)
    return _quantized(x, input, grid, name, PER_TENSOR)


def quantize_per_channel(
    input: Any, scales: Any, zero_points: Any, axis: int, dtype: Any
) -> QuantizedTensor:
    """Codes clamp(rint(x * (1 / scale) + zero_point)), qparams for each index of ``axis``.

    Product and sum are rounded one after the other; NaN becomes 0, with 32 bits -2^31.

    Raises
    ------
    TorchRuntimeError
        Elements other than float32, another type, an axis that does not exist or is negative,
        qparams that are not one per channel, a zero point that is none of the codes.
    """
    x, name = _float32(input), _type(dtype)
    steps, zeros = (np.asarray(xp.host(xp.enter(v))) for v in (scales, zero_points))
    shape = tuple(x.shape)
    if not 0 <= axis < len(shape):
        raise TorchRuntimeError(f"Axis {axis} does not exist in a tensor of shape {shape}.")
    if not steps.size == zeros.size == shape[axis]:
        raise TorchRuntimeError(
            f"{steps.size} scales and {zeros.size} zero points for {shape[axis]} channels."
        )
    nan = INT32[0] if name == "qint32" else 0
    codes = _codes(zeros.astype(np.int64).reshape(-1), name)
    scale = steps.astype(np.float32).reshape(-1)
    grid = TorchQuantizer(scale, codes, *STORAGE[name].limits, False, nan)
    return _quantized(x, input, grid, name, Granularity("per_channel", axis))


def _choose_qparams_per_tensor(input: Any, reduce_range: bool = False) -> tuple[float, int]:
    """Scale (float64) and zero point of dynamic quantization: codes 0 to 255, reduced 0 to 127.

    Raises
    ------
    TorchRuntimeError
        No element, a NaN, a finite end beyond float32.
    """
    x = xp.enter(input)
    if not xp.size(x):
        raise TorchRuntimeError("There is no element.", "A range is needed.")
    ends = ends_of(Batch(x))
    reach = np.array([ends.lo[0], ends.hi[0]])
    beyond = np.isinf(reach).any() and not bool(xp.namespace(x).isinf(x).any())
    if np.isnan(reach).any() or beyond:
        raise TorchRuntimeError(
            f"The range {reach[0]:g} to {reach[1]:g} is refused.",
            "It is NaN, or overflows float32.",
            "Remove such elements.",
        )
    rule = FusedRule((0, 127 if reduce_range else 255), precision=np.float64)
    scale, zero = rule.qparams(ends.lo, ends.hi)
    return float(scale[0]), int(zero[0])


def _float32(input: Any) -> Array:
    x = xp.enter(input)
    if xp.dtype_name(x) != "float32":
        raise TorchRuntimeError(
            f"Elements are {xp.dtype_name(x)}.", "Only float32 is quantized.", "Convert it."
        )
    return x


def _type(dtype: Any) -> str:
    name = name_of(dtype)
    if name not in CODES:
        raise TorchRuntimeError(f"{name} is no quantized type.", f"Types: {', '.join(CODES)}.")
    return name


def _codes(zeros: np.ndarray, dtype: str) -> np.ndarray:
    low, high = STORAGE[dtype].limits
    if ((zeros < low) | (zeros > high)).any():
        raise TorchRuntimeError(f"A zero point is none of {dtype}'s codes {low} to {high}.")
    return zeros


def _quantized(
    x: Array, input: Any, grid: TorchQuantizer, dtype: str, granularity: Granularity
) -> QuantizedTensor:
    codes = granularity.restore(grid.quantize(granularity.rows(x)), x)
    return QuantizedTensor(handed(codes, input), grid, dtype, granularity, tuple(x.shape))
