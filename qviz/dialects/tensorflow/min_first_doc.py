"""MIN_FIRST as TensorFlow's documentation states it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.dialect import QUANTIZE_TEXT
from qviz.dialects.tensorflow.ranges import finite, minimum_range_knob, refusal, separated
from qviz.dialects.tensorflow.types import QType
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.spec import QuantSpec, Range
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class DocumentedMinFirstQuantizer(Quantizer):
    """q = away(x s) - away(lo s) + first, x' = lo + (q - first) / s; float64.

    n = 2^bits, range = (hi - lo) n / (n - 1), s = n / range. ``lo`` and ``hi`` have shape
    (groups,); ``away`` rounds half away from zero.
    """

    # lo * s is rounded one way only: where it is a tie, a round trip moves codes by one.
    formula: ClassVar[str] = (
        "q = away(x * s) - away(lo * s) + first, s = 2^bits / range; "
        "x' = lo + (q - first) / s; real numbers (float64)"
    )
    idempotent: ClassVar[bool] = False

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
        count = 2**self.bits
        return (self.hi - self.lo) * (count / (count - 1)) / count

    @property
    @np.errstate(all="ignore")
    def arithmetic(self) -> Arithmetic:
        scale = 1 / self.step
        shift = xp.round_away(self.lo * scale) - self.ends[0]
        record("raw zero point", self.ends[0] - self.lo * scale)
        record("rounded", -shift, note="half away from zero")
        return Arithmetic("away", "float64", scale, False, True, after=-shift)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x, scale = xp.astype(rows, "float64"), 1 / self.step
        shift = xp.round_away(self.lo * scale) - self.ends[0]
        codes = xp.round_away(x * xp.like(scale, x, "float64"))
        return codes - xp.like(shift, x, "float64")

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float64")
        lo, step = (xp.like(v, codes, "float64") for v in (self.lo, self.step))
        return lo + (codes - self.ends[0]) * step


@QUANTIZERS.register(
    "tf.min_first@doc", title="MIN_FIRST (doc)", source=QUANTIZE_TEXT, golden="own"
)
@dataclass(frozen=True)
class DocumentedMinFirst(Mode):
    """The documented MIN_FIRST: double precision, levels that start at the range as asked for."""

    ensure_minimum_range: float = minimum_range_knob()

    def accepts(self, target: Target) -> str | None:
        if target.spec.symmetric:
            return "MIN_FIRST has no symmetric codes"
        return refusal(target, "MIN_FIRST")

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        ends = separated(range, self.ensure_minimum_range)
        return finite(DocumentedMinFirstQuantizer(*ends, spec.bits, spec.signed), range)
