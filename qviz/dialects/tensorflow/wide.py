"""A type too wide for a choice of codes (qint32), as a quantizer made of the two ops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.dequantize_op import DequantizeOp
from qviz.dialects.tensorflow.quantize_op import QuantizeOp
from qviz.quantizers.base import Quantizer
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class OpQuantizer(Quantizer):
    """quantize, then dequantize with the range that quantize gave back.

    ``lo`` and ``hi`` (1,) are the range as requested. Codes past the top wrap round, as the ops
    do it, and nothing is clipped before: ``encode`` gives what ``quantize`` gives.
    """

    # The top of a 32-bit type wraps to its bottom; float32 holds no 32-bit code exactly.
    idempotent = False
    monotone = False

    op: QuantizeOp
    lo: np.ndarray
    hi: np.ndarray

    @property
    def ends(self) -> tuple[int, int]:
        return self.op.T.ends

    @property
    def output(self) -> tuple[np.ndarray, np.ndarray]:
        """output_min and output_max, (1,)."""
        _, lo, hi = self.op(np.zeros(1, np.float32), self.lo, self.hi)
        return np.atleast_1d(lo), np.atleast_1d(hi)

    @property
    @np.errstate(all="ignore")
    def step(self) -> np.ndarray:
        lo, hi = (end.astype(np.float64) for end in self.output)
        return (hi - lo) / (self.ends[1] - self.ends[0])

    def encode(self, rows: Array) -> Array:
        return xp.astype(self.op(rows, self.lo, self.hi)[0], "float64")

    def quantize(self, rows: Array) -> Array:
        return self.encode(rows)

    def dequantize(self, codes: Array) -> Array:
        back = DequantizeOp(self.op.mode, self.op.narrow_range)
        return back(xp.astype(codes, self.op.T.storage), *self.output)
