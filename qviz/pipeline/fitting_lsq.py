"""LSQ and LSQ+ as learning rules: the step is learned, its gradient tamed by a factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.observers.lsq import LSQ, LSQ_PLUS
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.base import Grads, Quantizer
from qviz.quantizers.stateful import LEARNERS, Learner, Spread
from qviz.registry import knob
from qviz.spec import QuantSpec
from qviz.xp import Array

FACTORS = ("qmax", "n*qmax", "none")
HELP = "what the gradient is divided by the root of; the papers: n*qmax, for a loss summed up"
PUBLISHED = {"by": "n*qmax"}


class StepQuantizer(AffineQuantizer):
    """The uniform grid with the gradient of its step, as LSQ has it."""

    def backward(self, rows: Array, grad: Array) -> Grads:
        """``scale``: grad * (q - x / scale) inside the codes, grad * (the end's code) outside."""
        codes = self.encode(rows)
        low, high = self.ends
        inside = (codes >= low) & (codes <= high)
        ratio = xp.div(xp.astype(rows, "float64"), xp.like(self.scale, rows, "float64"))
        slope = xp.namespace(codes).where(inside, codes - ratio, xp.clip(codes, low, high))
        return Grads(grad * xp.astype(inside, xp.dtype_name(grad)), {"scale": grad * slope})


class StepLearner(Learner):
    """What LSQ and LSQ+ share."""

    parameter: ClassVar[str] = "scale"

    def quantizer(self, value: float, spec: QuantSpec) -> Quantizer:
        return StepQuantizer(np.full(1, value), np.zeros(1, np.int64), *spec.ends)

    def largest(self, spec: QuantSpec) -> int:
        return spec.ends[1]

    def divided(self, count: int, spec: QuantSpec, by: str) -> tuple[float, str]:
        """The factor and its words."""
        top = spec.ends[1]
        if by == "none":
            return 1.0, ""
        if by == "qmax":
            return top**-0.5, f"gradient ÷ √{top}"
        return (count * top) ** -0.5, f"gradient ÷ √({count:,} × {top})"


@LEARNERS.register("lsq", title="LSQ", source=LSQ, presets={"lsq": {}, "lsq_published": PUBLISHED})
@dataclass(frozen=True)
class LsqLearner(StepLearner):
    """LSQ: starts at 2 mean|x| / sqrt(Qp); its gradient is divided by a root."""

    by: str = knob("qmax", options=FACTORS, help=HELP)

    def start(self, spread: Spread, spec: QuantSpec) -> float:
        return 2 * spread.mean_abs / spec.ends[1] ** 0.5

    def factor(self, count: int, spec: QuantSpec) -> tuple[float, str]:
        return self.divided(count, spec, self.by)


@LEARNERS.register("lsq_plus", title="LSQ+", source=LSQ_PLUS)
@dataclass(frozen=True)
class LsqPlusLearner(StepLearner):
    """LSQ+ without its offset: starts at max|mean -+ 3 std| over half the codes."""

    by: str = knob("qmax", options=FACTORS, help=HELP)

    def start(self, spread: Spread, spec: QuantSpec) -> float:
        far = max(abs(spread.mean - 3 * spread.std), abs(spread.mean + 3 * spread.std))
        return far / 2 ** (spec.bits - 1)

    def factor(self, count: int, spec: QuantSpec) -> tuple[float, str]:
        return self.divided(count, spec, self.by)
