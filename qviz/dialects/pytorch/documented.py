"""What PyTorch's documentation says, taken literally; its code does otherwise in places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.affine import spanning
from qviz.dialects.pytorch.dialect import DOCUMENTED_AVERAGE, DOCUMENTED_MINMAX
from qviz.dialects.pytorch.moving_average import BATCHES
from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.stats.base import Seen


@dataclass(frozen=True, eq=False)
class DocumentedQuantizer(AffineQuantizer):
    """x' = (clamp(round(x / scale + zero_point)) - zero_point) * scale; float64."""

    formula: ClassVar[str] = (
        "x' = (clamp(round(x / scale + zero_point)) - zero_point) * scale; real numbers (float64)"
    )

    @property
    def arithmetic(self) -> Arithmetic:
        return Arithmetic("even", "float64", self.scale, before=self.zero_point)

    @np.errstate(over="ignore")
    def encode(self, rows: xp.Array) -> xp.Array:
        x = xp.astype(rows, "float64")
        return xp.rint(xp.div(x, xp.like(self.scale, x, "float64")) + self._zero(x))


def documented_qparams(
    lo: np.ndarray, hi: np.ndarray, spec: QuantSpec
) -> tuple[np.ndarray, np.ndarray]:
    """Scale (float64) and zero point (int64), (groups,).

    Symmetric: s = 2 max(|lo|, hi) / (Qmax - Qmin), z = 0 for qint8, else 128. Otherwise s =
    (hi - lo) / (Qmax - Qmin), z = Qmin - round(lo / s). Where lo = hi: 1 and 0. The range is not
    widened to hold 0, and z need not be one of the codes.
    """
    low, high = spec.ends
    same = lo == hi
    with np.errstate(all="ignore"):
        if spec.symmetric:
            m = np.maximum(np.abs(lo), hi)
            record("mirrored", -m, m)
            scale = 2 * m / (high - low)
            zero = np.full(lo.shape, 0.0 if spec.signed else 128.0)
        else:
            scale = (hi - lo) / (high - low)
            zero = low - np.rint(lo / scale)
            record("raw zero point", low - lo / scale)
            record("rounded", zero, note="half to even")
    record("scale before floor", scale, note=f"width over {high - low}")
    record("floor", np.where(same, 1.0, scale), note="1 where both ends are equal")
    return np.where(same, 1.0, scale), np.where(same, 0.0, zero).astype(np.int64)


@QUANTIZERS.register(
    "torch.affine@doc", title="torch Affine (doc)", source=DOCUMENTED_MINMAX, golden="own"
)
@dataclass(frozen=True)
class DocumentedAffine(Mode):
    """The formulas of MinMaxObserver's and FakeQuantize's documentation, in real numbers.

    Differs from ``torch.affine``: 0 need not be a level, a constant gets scale 1, the zero point
    is added before rounding.
    """

    def accepts(self, target: Target) -> str | None:
        low, high = target.spec.ends
        if target.spec.bits > 8 or not -128 <= low or not high <= 255 or high - low > 255:
            return "the documentation knows qint8 and quint8 only"
        return None

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        found = documented_qparams(range.lo, range.hi, spec)
        return spanning(DocumentedQuantizer(*found, *spec.ends), range)


@OBSERVERS.register(
    "torch.moving_average@doc",
    title="Moving avg. (doc)",
    source=DOCUMENTED_AVERAGE,
    golden="own",
)
@dataclass(frozen=True)
class DocumentedMovingAverage(Observer):
    """m = (1 - c) m + c min x, likewise the maximum, in real numbers; the first batch is copied.

    Differs from ``torch.moving_average`` by rounding: there a minimum can pass its maximum.
    """

    averaging_constant: float = knob(0.01, low=0.001, high=1.0, help="share of each new batch")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        if target.granularity.kind != "per_tensor":
            return "PyTorch's MovingAverageMinMaxObserver is per tensor only"
        return None

    def range(self, seen: Seen, target: Target) -> Range:
        c = self.averaging_constant
        lo, hi = np.full(1, np.inf), np.full(1, -np.inf)
        for state in (state for state in seen[BATCHES] if state.finite.any()):
            first = np.isinf(lo).all()
            lo = state.lo if first else (1 - c) * lo + c * state.lo
            hi = state.hi if first else (1 - c) * hi + c * state.hi
        return Range(lo, hi)
