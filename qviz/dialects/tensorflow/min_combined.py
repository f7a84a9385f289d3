"""TensorFlow's MIN_COMBINED: codes spread over the range, from end to end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.arithmetic import (
    bounded,
    clipped,
    flushed,
    flusher,
    ratio,
    round_up,
    whole,
)
from qviz.dialects.tensorflow.dialect import QUANTIZE
from qviz.dialects.tensorflow.ranges import adjusted, finite, minimum_range_knob, refusal
from qviz.dialects.tensorflow.types import QType
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.spec import QuantSpec, Range
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class MinCombinedQuantizer(Quantizer):
    """y = (clip(x, lo, hi) - lo) s, s = (last - first) / (hi - lo); float32.

    Signed: q = away(y - 2^(bits - 1)). Unsigned: q = floor(y + 0.5). NaN gets code 0. With 32
    bits the codes wrap round: hi itself becomes the lowest code, and nothing is monotone.
    x' = (q + half) d + lo, d = (hi - lo) / (last - first), half = 2^(bits - 1) or 0. ``lo`` and
    ``hi`` are float32 (groups,), taken as they are: dequantizing needs no order.
    """

    formula: ClassVar[str] = (
        "q = floor((x - lo) * (codes / width) + 0.5), signed: away(... - 2^(bits - 1)); "
        "x' = q * (width / codes) + lo; float32"
    )

    lo: np.ndarray
    hi: np.ndarray
    bits: int = 8
    signed: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        return QType(self.bits, self.signed).ends

    @property
    @np.errstate(all="ignore")
    def step(self) -> np.ndarray:
        lo, hi = self._bounds()
        first, last = (np.float32(end) for end in self.ends)
        return flushed(flushed(hi - lo) / (last - first))

    @property
    @np.errstate(all="ignore")
    def arithmetic(self) -> Arithmetic:
        lo, hi = self._bounds()
        first, last = self.ends
        factor = ratio(last - first, flushed(hi - lo))
        kind = ("away" if self.signed else "up", "float32", factor, False)
        before = np.full(lo.shape, first, np.float32) if self.signed else None
        return Arithmetic(*kind, origin=lo, before=before)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        codes = bounded(self._rounded(xp.astype(rows, "float32")))
        return xp.namespace(codes).where(xp.namespace(codes).isnan(codes), 0.0, codes)

    @np.errstate(all="ignore")
    def quantize(self, rows: Array) -> Array:
        inside = clipped(xp.astype(rows, "float32"), *self._bounds())
        return whole(self._rounded(inside), self.bits)

    def _rounded(self, x: Array) -> Array:
        lo, hi = self._bounds()
        first, last = self.ends
        scale = ratio(last - first, flushed(hi - lo))
        flush = flusher(lo, scale)
        y = flush(flush(flush(x) - xp.like(lo, x, "float32")) * xp.like(scale, x, "float32"))
        if self.signed:
            return xp.round_away(flushed(y + float(first)))
        return round_up(y)

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        (lo, _), step = self._bounds(), self.step
        flush = flusher(lo, step)
        half = float(-self.ends[0])
        spread = flush((codes + half) * xp.like(step, codes, "float32"))
        return flush(spread + xp.like(lo, codes, "float32"))

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return flushed(np.float32(self.lo)), flushed(np.float32(self.hi))


@QUANTIZERS.register(
    "tf.min_combined",
    title="TF MIN_COMBINED",
    source=QUANTIZE,
    golden="quantize:mode=MIN_COMBINED",
)
@dataclass(frozen=True)
class MinCombined(Mode):
    """quantize and dequantize with mode MIN_COMBINED.

    The codes choose T: qint8, quint8, qint16 or quint16. There is no zero point; real 0 need not
    be a level.
    """

    ensure_minimum_range: float = minimum_range_knob()

    def accepts(self, target: Target) -> str | None:
        if target.spec.symmetric:
            return "MIN_COMBINED has no symmetric codes"
        return refusal(target, "MIN_COMBINED")

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        ends = adjusted(range.lo, range.hi, self.ensure_minimum_range)
        return finite(MinCombinedQuantizer(*ends, spec.bits, spec.signed), range)
