"""MIN_COMBINED as TensorFlow's documentation states it: multiply, and cast."""

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
from qviz.spec import QuantSpec, Range
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class DocumentedMinCombinedQuantizer(Quantizer):
    """q = trunc((x - lo) span / (hi - lo) - half), x' = lo + (q + half) (hi - lo) / span; float64.

    span = last - first; half = (span + 1) / 2 for signed codes, else 0. ``lo`` and ``hi`` have
    shape (groups,).
    """

    # A level divided by the step may come out a hair below its code, and a cast drops the rest.
    formula: ClassVar[str] = (
        "q = trunc((x - lo) * codes / (hi - lo) - half); "
        "x' = lo + (q + half) * (hi - lo) / codes; real numbers (float64)"
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
    @np.errstate(over="ignore")
    def step(self) -> np.ndarray:
        return (self.hi - self.lo) / self._span

    @property
    def _span(self) -> int:
        return self.ends[1] - self.ends[0]

    @property
    def _half(self) -> float:
        return (self._span + 1) / 2 if self.signed else 0.0

    @property
    def arithmetic(self) -> Arithmetic:
        kind = ("cut", "float64", self.hi - self.lo)
        before = np.full(self.lo.shape, -self._half)
        return Arithmetic(*kind, origin=self.lo, before=before, times=(self._span, 1.0))

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float64")
        lo, width = (xp.like(v, x, "float64") for v in (self.lo, self.hi - self.lo))
        return xp.namespace(x).trunc(xp.div((x - lo) * self._span, width) - self._half)

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float64")
        lo, step = (xp.like(v, codes, "float64") for v in (self.lo, self.step))
        return lo + (codes + self._half) * step


@QUANTIZERS.register(
    "tf.min_combined@doc", title="MIN_COMBINED (doc)", source=QUANTIZE_TEXT, golden="own"
)
@dataclass(frozen=True)
class DocumentedMinCombined(Mode):
    """The documented MIN_COMBINED: no rounding, and a range that need not hold 0.

    The documentation shifts qint8; qint16 is read alike.
    """

    ensure_minimum_range: float = minimum_range_knob()

    def accepts(self, target: Target) -> str | None:
        if target.spec.symmetric:
            return "MIN_COMBINED has no symmetric codes"
        return refusal(target, "MIN_COMBINED")

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        ends = separated(range, self.ensure_minimum_range)
        return finite(DocumentedMinCombinedQuantizer(*ends, spec.bits, spec.signed), range)
