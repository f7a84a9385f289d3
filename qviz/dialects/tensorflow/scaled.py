"""TensorFlow's SCALED: codes are multiples of one step, real 0 is code 0."""

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
    larger,
    smaller,
    whole,
)
from qviz.dialects.tensorflow.dialect import QUANTIZE
from qviz.dialects.tensorflow.ranges import adjusted, finite, minimum_range_knob, refusal
from qviz.dialects.tensorflow.types import QType
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

ROUND_MODES = {"HALF_AWAY_FROM_ZERO": xp.round_away, "HALF_TO_EVEN": xp.rint}
TIES = {"HALF_AWAY_FROM_ZERO": "away", "HALF_TO_EVEN": "even"}
FLT_MAX = np.finfo(np.float32).max


@dataclass(frozen=True, eq=False)
class ScaledQuantizer(Quantizer):
    """q = round(clip(x, lo, hi) s), x' = q d; float32.

    ``lo`` and ``hi`` (groups,) are the output range, ``multiplier`` is s. The step d comes of the
    output range alone: max(lo / first, hi / last), unsigned hi / last. NaN gets code 0. With 32
    bits the codes wrap round: hi itself becomes the lowest code, and nothing is monotone.
    """

    formula: ClassVar[str] = (
        "q = round(clip(x, lo, hi) * s), s = codes / bound; x' = q * (bound / codes); float32"
    )

    lo: np.ndarray
    hi: np.ndarray
    multiplier: np.ndarray
    bits: int = 8
    signed: bool = False
    narrow_range: bool = False
    round_mode: str = "HALF_AWAY_FROM_ZERO"

    @property
    def ends(self) -> tuple[int, int]:
        first, last = QType(self.bits, self.signed).ends
        return first + self.narrow_range, last

    @property
    @np.errstate(all="ignore")
    def step(self) -> np.ndarray:
        lo, hi = flushed(np.float32(self.lo)), flushed(np.float32(self.hi))
        first, last = (np.float32(end) for end in self.ends)
        up = flushed(hi / last)
        return larger(flushed(lo / first), up) if self.signed else up

    @property
    def arithmetic(self) -> Arithmetic:
        return Arithmetic(TIES[self.round_mode], "float32", self.multiplier, False)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        codes = bounded(self._rounded(xp.astype(rows, "float32")))
        return xp.namespace(codes).where(xp.namespace(codes).isnan(codes), 0.0, codes)

    @np.errstate(all="ignore")
    def quantize(self, rows: Array) -> Array:
        inside = clipped(xp.astype(rows, "float32"), self.lo, self.hi)
        return whole(self._rounded(inside), self.bits)

    def _rounded(self, x: Array) -> Array:
        flush = flusher(self.multiplier)
        y = flush(flush(x) * xp.like(self.multiplier, x, "float32"))
        return ROUND_MODES[self.round_mode](y)

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        return codes * xp.like(self.step, codes, "float32")  # a whole step or more: no denormal


@np.errstate(all="ignore")
def spread(
    lo: np.ndarray, hi: np.ndarray, ends: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Output range and multiplier for an adjusted range, float32 (groups,).

    s = min(first / lo, last / hi), a side without a quotient above 0 being the largest float32;
    output range first / s to last / s. Unsigned codes know only ``hi``.
    """
    first, last = (np.float32(end) for end in ends)
    down = np.where(flushed(first * lo) > 0, flushed(first / lo), FLT_MAX)
    up = np.where(flushed(last * hi) > 0, flushed(last / hi), FLT_MAX)
    s = smaller(down, up)
    ends_out = flushed(first / s), flushed(last / s)
    record("mirrored", *ends_out, note="what the codes reach at the larger of the two steps")
    return *ends_out, s


SIGNED = (QuantSpec(8, signed=True, symmetric=True, narrow_range=True),)


@QUANTIZERS.register(
    "tf.scaled", title="TF SCALED", source=QUANTIZE, golden="quantize:mode=SCALED", native=SIGNED
)
@dataclass(frozen=True)
class Scaled(Mode):
    """quantize and dequantize with mode SCALED.

    The codes choose T: qint8, quint8, qint16 or quint16, with or without narrow_range. Signed
    codes spread to both ends of the range, the nearer one deciding less; unsigned ones ignore
    what is below 0.
    """

    round_mode: str = knob(
        "HALF_AWAY_FROM_ZERO", options=tuple(ROUND_MODES), help="where a tie goes"
    )
    ensure_minimum_range: float = minimum_range_knob()

    def accepts(self, target: Target) -> str | None:
        if target.spec.symmetric and not target.spec.signed:
            return "SCALED is symmetric with signed codes only"
        return refusal(target, "SCALED", narrow=True)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        ends = adjusted(range.lo, range.hi, self.ensure_minimum_range)
        found = spread(*ends, spec.ends)
        if spec.ends[0] > 0 and (ends[1] == 0).any():
            raise QvizError(
                "A range that ends at 0 has no codes from 1 up in TensorFlow.",
                "SCALED gives 0 the code 0 there, narrow_range or not.",
                "Use signed codes, or all codes.",
            )
        kind = (spec.bits, spec.signed, spec.narrow_range, self.round_mode)
        return finite(ScaledQuantizer(*found, *kind), range)
