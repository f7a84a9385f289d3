"""TensorFlow's MIN_FIRST: codes counted up from the low end of the range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.arithmetic import flushed, flusher, ratio
from qviz.dialects.tensorflow.dialect import QUANTIZE
from qviz.dialects.tensorflow.ranges import adjusted, finite, minimum_range_knob, refusal
from qviz.dialects.tensorflow.types import QType
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

TOP_INT32 = 2**31 - 128  # the largest float32 that is an int32


@dataclass(frozen=True, eq=False)
class MinFirstQuantizer(Quantizer):
    """q = clamp(away(x s) - (away(lo s) - first)), s = (2^bits - 1) / (hi - lo); float32.

    x' = (away(lo / d) d - first d) + q d, d = (hi - lo) / (2^bits - 1). ``lo`` and ``hi`` are
    float32 (groups,), taken as they are: dequantizing needs no order. NaN gets code 0, with 32
    bits the lowest code. ``away`` rounds half away from zero.
    """

    # Quantizing rounds lo * s, dequantizing lo / d: where that is a tie the two disagree, and
    # each round trip moves every code by one ([-1, 1] up, [-0.7, 0.7] down).
    formula: ClassVar[str] = (
        "q = clamp(away(x * s) - (away(lo * s) - first)), s = (2^bits - 1) / (hi - lo); "
        "x' = (away(lo / d) * d - first * d) + q * d, d = 1 / s; float32"
    )
    idempotent: ClassVar[bool] = False

    lo: np.ndarray
    hi: np.ndarray
    bits: int = 8
    signed: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        first, last = QType(self.bits, self.signed).ends
        return first, min(last, TOP_INT32)

    @property
    @np.errstate(all="ignore")
    def step(self) -> np.ndarray:
        lo, hi = self._bounds()
        return ratio(flushed(hi - lo), np.float32(2**self.bits - 1))

    @property
    def arithmetic(self) -> Arithmetic:
        scale, shift = self._terms()
        return Arithmetic("away", "float32", scale, False, after=-shift)

    @np.errstate(all="ignore")
    def _terms(self) -> tuple[np.ndarray, np.ndarray]:
        lo, hi = self._bounds()
        scale = ratio(2**self.bits - 1, flushed(hi - lo))
        scale = np.where(hi == lo, np.float32(0), scale)
        raw, first = flushed(lo * scale), np.float32(self.ends[0])
        record("raw zero point", first - np.float64(raw), dtype="float32")
        record("rounded", first - xp.round_away(raw), note="half away from zero")
        return scale, xp.round_away(raw) - first

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x, first = xp.astype(rows, "float32"), np.float32(self.ends[0])
        scale, shift = self._terms()
        flush = flusher(scale)
        scaled = xp.round_away(flush(flush(x) * xp.like(scale, x, "float32")))
        codes = scaled - xp.like(shift, x, "float32")
        ns = xp.namespace(x)
        return ns.where(ns.isnan(codes), float(first) if self.bits == 32 else 0.0, codes)

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        (lo, hi), step = self._bounds(), self.step
        grid = flushed(xp.round_away(flushed(lo / step)) * step)
        lowest = np.where(hi == lo, lo, grid) - flushed(np.float32(self.ends[0]) * step)
        lowest = flushed(lowest)
        flush = flusher(lowest, step)
        up = flush(codes * xp.like(step, codes, "float32"))
        return flush(xp.like(lowest, codes, "float32") + up)

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return flushed(np.float32(self.lo)), flushed(np.float32(self.hi))


@QUANTIZERS.register(
    "tf.min_first", title="TF MIN_FIRST", source=QUANTIZE, golden="quantize:mode=MIN_FIRST"
)
@dataclass(frozen=True)
class MinFirst(Mode):
    """quantize and dequantize with mode MIN_FIRST.

    The codes choose T: qint8, quint8, qint16 or quint16. qint32 is no choice here: at most
    65,536 codes are shown. There is no zero point; real 0 need not be a level.
    """

    ensure_minimum_range: float = minimum_range_knob()

    def accepts(self, target: Target) -> str | None:
        if target.granularity.kind != "per_tensor":
            return "TensorFlow has MIN_FIRST per tensor only: with an axis it is Unimplemented"
        if target.spec.symmetric:
            return "MIN_FIRST has no symmetric codes"
        return refusal(target, "MIN_FIRST")

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        ends = adjusted(range.lo, range.hi, self.ensure_minimum_range)
        return finite(MinFirstQuantizer(*ends, spec.bits, spec.signed), range)
