"""TensorFlow's MIN_FIRST: codes counted up from the low end of the range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.dialect import QUANTIZE
from qviz.dialects.tensorflow.float32 import flushed, larger, ratio, smaller
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target, covered
from qviz.registry import knob
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
    idempotent: ClassVar[bool] = False

    lo: np.ndarray
    hi: np.ndarray
    bits: int = 8
    signed: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        first = -(2 ** (self.bits - 1)) if self.signed else 0
        return first, min(first + 2**self.bits - 1, TOP_INT32)

    @property
    @np.errstate(all="ignore")
    def step(self) -> np.ndarray:
        lo, hi = self._flushed()
        return ratio(flushed(hi - lo), np.float32(2**self.bits - 1))

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x = flushed(xp.astype(rows, "float32"))
        lo, hi = self._flushed()
        width = flushed(hi - lo)
        scale = np.where(hi == lo, np.float32(0), ratio(2**self.bits - 1, width))
        first = np.float32(self.ends[0])
        shift = xp.round_away(flushed(lo * scale)) - first
        scaled = xp.round_away(flushed(x * xp.like(scale, x, "float32")))
        codes = scaled - xp.like(shift, x, "float32")
        ns = xp.namespace(x)
        return ns.where(ns.isnan(codes), float(first) if self.bits == 32 else 0.0, codes)

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        (lo, hi), step = self._flushed(), self.step
        grid = flushed(xp.round_away(flushed(lo / step)) * step)
        lowest = np.where(hi == lo, lo, grid) - flushed(np.float32(self.ends[0]) * step)
        lowest = xp.like(flushed(lowest), codes, "float32")
        return flushed(lowest + flushed(codes * xp.like(step, codes, "float32")))

    def _flushed(self) -> tuple[np.ndarray, np.ndarray]:
        return flushed(np.float32(self.lo)), flushed(np.float32(self.hi))


def adjusted(
    low: np.ndarray, high: np.ndarray, ensure_minimum_range: float
) -> tuple[np.ndarray, np.ndarray]:
    """The range TensorFlow quantizes in: 0 inside, and not too narrow; float32 (groups,).

    lo = min(0, low), hi = max(0, high, lo + max(1, |low|, |high|) * ensure_minimum_range).

    Raises
    ------
    QvizError
        ``high`` is below ``low``.
    """
    with np.errstate(all="ignore"):
        low, high = flushed(np.float32(low)), flushed(np.float32(high))
        if (high < low).any():
            raise QvizError(
                f"The range ends at {high.min():g}, below its start.",
                "TensorFlow needs min_range <= max_range.",
                "Exchange the ends.",
            )
        nothing, one = np.float32(0), np.float32(1)
        lo = smaller(nothing, low)
        least = flushed(np.float32(ensure_minimum_range))
        margin = flushed(larger(one, larger(np.abs(low), np.abs(high))) * least)
        return lo, larger(nothing, larger(high, flushed(lo + margin)))


@QUANTIZERS.register(
    "tf.min_first", title="TF MIN_FIRST", source=QUANTIZE, golden="quantize:mode=MIN_FIRST"
)
@dataclass(frozen=True)
class MinFirst(Mode):
    """quantize and dequantize with mode MIN_FIRST.

    The codes choose T: qint8, quint8, qint16 or quint16. qint32 is no choice here: at most
    65,536 codes are shown. There is no zero point; real 0 need not be a level.
    """

    ensure_minimum_range: float = knob(
        0.01, low=1e-6, high=2.0, help="least width, as a share of the largest end (at least 1)"
    )

    def accepts(self, target: Target) -> str | None:
        spec = target.spec
        if target.granularity.kind != "per_tensor":
            return "TensorFlow has MIN_FIRST per tensor only: with an axis it is Unimplemented"
        if spec.symmetric:
            return "MIN_FIRST has no symmetric codes"
        if spec.ends != QuantSpec(spec.bits, spec.signed).ends:
            return "MIN_FIRST uses all codes of its type: narrow_range is ignored by TensorFlow"
        if spec.bits not in (8, 16):
            return "TensorFlow has MIN_FIRST for 8 and 16 bits (and 32: too many codes to show)"
        return None

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        ends = adjusted(range.lo, range.hi, self.ensure_minimum_range)
        made = MinFirstQuantizer(*ends, spec.bits, spec.signed)
        spanned = covered(made)
        if not (np.isfinite(spanned.lo) & np.isfinite(spanned.hi)).all():
            raise QvizError(
                f"The range {range.lo.min():g} to {range.hi.max():g} is too wide for TensorFlow.",
                "Its width, or the last level, overflows float32.",
                "Choose a narrower range.",
            )
        return made
