"""Dequantize: codes back to floats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.bounds import Bounds, counted, flat, one_per_slice, slices
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.min_combined import MinCombinedQuantizer
from qviz.dialects.tensorflow.min_first import MinFirstQuantizer
from qviz.dialects.tensorflow.quantize_op import known_mode, per_tensor_only
from qviz.dialects.tensorflow.scaled import ScaledQuantizer
from qviz.dialects.tensorflow.tensors import admitted, mapped, numbers
from qviz.dialects.tensorflow.types import QType, qtype
from qviz.quantizers.base import Quantizer
from qviz.xp import Array

DTYPES = ("float32", "bfloat16")
TURN = 2.0**31  # as a float32, the top codes of qint32 are this, which is no int32


@dataclass(frozen=True)
class DequantizeOp:
    """The op with its attributes; ``axis`` is the kernel's: below 0 is the whole tensor.

    The bounds are taken as they are: no adjustment, no order, no epsilon.
    """

    mode: str = "MIN_COMBINED"
    narrow_range: bool = False
    axis: int = -1
    dtype: str = "float32"

    def __post_init__(self) -> None:
        known_mode(self.mode)
        if self.dtype not in DTYPES:
            raise InvalidArgument(f"dtype {self.dtype} is no output.", f"{' or '.join(DTYPES)}.")
        if self.dtype == "bfloat16" and self.mode != "MIN_COMBINED":
            raise InvalidArgument(f"{self.mode} has no bfloat16.", "Only MIN_COMBINED has it.")

    def __call__(self, input: Any, min_range: Any, max_range: Any) -> Array:
        """float32, or bfloat16: a torch tensor of that type, in NumPy its bit patterns, uint16."""
        codes, count = admitted(input), 1
        kind, bounds = qtype(xp.dtype_name(codes)), (numbers(min_range), numbers(max_range))
        if self.axis >= 0:
            count = slices(codes, self.axis)
        self._checked(bounds, count)
        grid = self._grid(kind, *flat(bounds))
        rule = grid.dequantize
        if self.mode == "SCALED" and kind.bits == 32 and count == 1:
            rule = _through_int32(grid)
        out = mapped(rule, codes, self.axis if count != 1 else -1, "float32")
        return out if self.dtype == "float32" else _bfloat16(out)

    def _checked(self, bounds: Bounds, count: int) -> None:
        counted(bounds, count)
        per_tensor_only(self.mode, count)
        if count != 1:
            one_per_slice(bounds, count)

    def _grid(self, kind: QType, lo: np.ndarray, hi: np.ndarray) -> Quantizer:
        if self.mode == "MIN_COMBINED":
            return MinCombinedQuantizer(lo, hi, kind.bits, kind.signed)
        if self.mode == "MIN_FIRST":
            return MinFirstQuantizer(lo, hi, kind.bits, kind.signed)
        return ScaledQuantizer(lo, hi, np.ones_like(lo), kind.bits, kind.signed, self.narrow_range)


def _through_int32(grid: Quantizer) -> Any:
    """SCALED of a whole qint32 tensor: float32 codes pass through int32, whose top wraps."""

    def rule(codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        return grid.dequantize(xp.namespace(codes).where(codes == TURN, -TURN, codes))

    return rule


def _bfloat16(x: Array) -> Array:
    """Rounded half to even to 16 bits; a NaN keeps its sign and nothing else."""
    ns = xp.namespace(x)
    bits = xp.astype(x.view(ns.int32), "int64") & 0xFFFFFFFF
    nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    found = ns.where(ns.isnan(x), 0x7FC0 | ((bits >> 16) & 0x8000), nearest)
    patterns = xp.astype(found, "uint16") if ns is np else xp.astype(found, "int16")
    return patterns if ns is np else patterns.view(ns.bfloat16)
