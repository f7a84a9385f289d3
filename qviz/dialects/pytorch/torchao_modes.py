"""torchao's mappings as modes, and its observers as members."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.pytorch.affine import spanning
from qviz.dialects.pytorch.dialect import TORCHAO, TORCHAO_PT2E
from qviz.dialects.pytorch.extremes import checked, extremes
from qviz.dialects.pytorch.moving_average import TorchMovingAverage
from qviz.dialects.pytorch.torchao_qparams import TINY, AffineRule
from qviz.dialects.pytorch.torchao_quantizer import TorchAOQuantizer
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.landscape import NEEDS, Landscape
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax


@QUANTIZERS.register(
    "torch.torchao_affine",
    title="torchao Affine",
    source=TORCHAO,
    golden="torchao",
    native=(QuantSpec(8, signed=True), QuantSpec(8, signed=True, symmetric=True)),
)
@dataclass(frozen=True)
class TorchAOAffine(Mode):
    """torchao's SYMMETRIC or ASYMMETRIC mapping, as the codes ask."""

    eps: float = knob(TINY, low=2.0**-126, high=1.0, help="smallest scale")

    def accepts(self, target: Target) -> str | None:
        low, high = target.spec.ends
        if target.spec.bits in (9, 10, 11, 12, 13, 14, 15) and target.spec.quant_min is None:
            return "torchao has no type of 9 to 15 bits"
        return None if low <= 0 <= high else "torchao needs 0 among the codes"

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        mapping = "SYMMETRIC" if spec.symmetric else "ASYMMETRIC"
        return _made(AffineRule(mapping, spec.ends, self.eps), range)


@QUANTIZERS.register(
    "torch.torchao_no_clipping",
    title="torchao No clip",
    source=TORCHAO,
    golden="torchao:mapping=SYMMETRIC_NO_CLIPPING_ERR",
    native=(QuantSpec(8, signed=True, symmetric=True),),
)
@dataclass(frozen=True)
class TorchAONoClipping(TorchAOAffine):
    """torchao's SYMMETRIC_NO_CLIPPING_ERR: each side is divided by its own last code."""

    def accepts(self, target: Target) -> str | None:
        low, high = target.spec.ends
        if not (target.spec.symmetric and low < 0 < high):
            return "this mapping is symmetric, with codes on both sides of 0"
        return super().accepts(target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return _made(AffineRule("SYMMETRIC_NO_CLIPPING_ERR", spec.ends, self.eps), range)


def _made(rule: AffineRule, range: Range) -> Quantizer:
    scale, zero = rule.qparams(range.lo.astype(np.float32), range.hi.astype(np.float32))
    return spanning(TorchAOQuantizer(scale, np.asarray(zero), *rule.ends), range)


@OBSERVERS.register(
    "torch.torchao_minmax", title="torchao MinMax", source=TORCHAO, golden="torchao"
)
@dataclass(frozen=True)
class TorchAOMinMax(Observer):
    """lo, hi = min x, max x of each block, whatever shares a scale; float32."""

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*extremes(seen[MinMax()]))


@OBSERVERS.register(
    "torch.torchao_moving_average",
    title="torchao Moving av.",
    source=TORCHAO_PT2E,
    golden="torchao:cls=AffineQuantizedMovingAverageMinMaxObserver",
)
@dataclass(frozen=True)
class TorchAOMovingAverage(TorchMovingAverage):
    """The moving average of ``torch.moving_average``, whatever shares a scale."""

    def accepts(self, target: Target) -> str | None:
        return None


@OBSERVERS.register(
    "torch.torchao_mse",
    title="torchao MSE",
    source=TORCHAO,
    golden="torchao:cls=AffineQuantizedMSEObserver",
)
@dataclass(frozen=True)
class TorchAOMse(Observer):
    """-t, t with the least mean squared error, t = R / steps * i, R = max(abs(min x), max x).

    The first of equal errors wins. All batches together: torchao's class looks at the latest
    one only, and sums in float32. Exact where the values are kept one by one.
    """

    steps: int = knob(100, low=2, high=400, help="widths that are tried")

    @property
    def needs(self) -> Needs:
        return NEEDS

    def range(self, seen: Seen, target: Target) -> Range:
        landscape, t = Landscape.of(seen, target), self._widths(seen)
        best = landscape.errors(-t, t).argmin(axis=1)[:, None]
        chosen = np.take_along_axis(t, best, 1)[:, 0]
        return Range(-chosen, chosen, landscape.cells.exact)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        if not seen[MinMax()].finite[:1].any():
            return None
        first, t = slice(0, 1), self._widths(seen)[:1]
        sqnr = Landscape.of(seen, target).part(first).sqnr(-t, t)[0]
        best = float(t[0, sqnr.argmax()])
        words = f"Of {self.steps} symmetric widths, {best:g} leaves the least squared error."
        curves = {"SQNR": sqnr}
        return Decision("half width, tensor units", "SQNR, dB", t[0], curves, (best,), words)

    def _widths(self, seen: Seen) -> np.ndarray:
        """Widths in the order tried, (groups, steps), float32 arithmetic; 0 without elements."""
        spread = seen[MinMax()]
        reach = np.where(spread.finite > 0, np.maximum(np.abs(spread.lo), spread.hi), 0.0)
        step = reach.astype(np.float32)[:, None] / np.float32(self.steps)
        return (step * np.arange(1, self.steps + 1, dtype=np.float32)).astype(np.float64)
