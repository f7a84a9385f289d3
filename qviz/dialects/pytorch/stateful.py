"""PyTorch's fake-quantize modules in training: ranges batch by batch, a scale that is learned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.affine import TorchAffineQuantizer, refusal
from qviz.dialects.pytorch.dialect import FUSED, LEARNABLE, MINMAX, MOVING_AVERAGE
from qviz.dialects.pytorch.fused_module import FusedMovingAvgObsFakeQuantize
from qviz.dialects.pytorch.learnable import TorchLearnableQuantizer
from qviz.dialects.pytorch.modules import FakeQuantize
from qviz.dialects.pytorch.observers import MinMaxObserver, MovingAverageMinMaxObserver
from qviz.dialects.pytorch.qparams import EPS
from qviz.quantizers.base import Quantizer
from qviz.quantizers.stateful import (
    LEARNERS,
    STATEFUL,
    After,
    Export,
    Learner,
    Machine,
    Spread,
    Stateful,
)
from qviz.registry import knob
from qviz.spec import QuantSpec
from qviz.xp import Array

SHARE = "share of each new batch"
WIDEST = 8  # bits of the modules shown


class ModuleMachine(Machine):
    """A FakeQuantize of any kind."""

    def __init__(self, module: FakeQuantize) -> None:
        self._module = module

    def train(self, training: bool) -> None:
        self._module.enable_observer(training)

    def step(self, batch: Array) -> After:
        module, watching = self._module, self._module.activation_post_process
        module(batch)
        ends = [float(v) for v in (watching.min_val, watching.max_val)]
        seen = all(math.isfinite(end) for end in ends)
        scale, zero = xp.host(module.scale), xp.host(module.zero_point)
        used = TorchAffineQuantizer(scale, zero, module.quant_min, module.quant_max)
        answer = [xp.host(v) for v in module.calculate_qparams()]
        export = Export(float(answer[0][0]), int(answer[1][0]))
        lo, hi = ends if seen else (None, None)
        return After(lo, hi, used, export)

    def reset(self) -> str:
        self._module.activation_post_process.reset_min_max_vals()
        return "reset_min_max_vals() forgets all batches; the scale in use stays until the next."


class Module(Stateful):
    """What PyTorch's modules share."""

    def accepts(self, spec: QuantSpec) -> str | None:
        if spec.bits > WIDEST:
            return "PyTorch's fake-quantize modules are shown with 8 bits or less"
        return refusal(spec)

    def start_share(self, batches: int) -> float | None:
        return None


def arguments(spec: QuantSpec) -> dict[str, Any]:
    """An observer's arguments for these codes."""
    kind = "symmetric" if spec.symmetric else "affine"
    return {"dtype": "qint8" if spec.signed else "quint8", "qscheme": f"per_tensor_{kind}"}


def ends(spec: QuantSpec) -> dict[str, Any]:
    """quant_min and quant_max, or reduce_range; nothing where the type's own codes are meant."""
    own = spec.bits == WIDEST and spec.quant_min is None and not spec.narrow_range
    if own:
        return {"reduce_range": True} if spec.reduce_range else {}
    return dict(zip(("quant_min", "quant_max"), spec.ends, strict=True))


@STATEFUL.register("torch.minmax", title="torch FakeQ MinMax", source=MINMAX)
@dataclass(frozen=True)
class WithMinMax(Module):
    """FakeQuantize with MinMaxObserver: the largest range ever seen."""

    def machine(self, spec: QuantSpec) -> Machine:
        return ModuleMachine(FakeQuantize(MinMaxObserver, **arguments(spec), **ends(spec)))


@STATEFUL.register("torch.moving_average", title="torch FakeQuantize", source=MOVING_AVERAGE)
@dataclass(frozen=True)
class WithMovingAverage(Module):
    """FakeQuantize as it comes: a moving average of the extremes, the first batch copied."""

    averaging_constant: float = knob(0.01, low=0.001, high=1.0, help=SHARE)

    def machine(self, spec: QuantSpec) -> Machine:
        made = MovingAverageMinMaxObserver.with_args(averaging_constant=self.averaging_constant)
        return ModuleMachine(FakeQuantize(made, **arguments(spec), **ends(spec)))

    def start_share(self, batches: int) -> float | None:
        return (1 - self.averaging_constant) ** max(batches - 1, 0)


@STATEFUL.register("torch.fused", title="torch Fused", source=FUSED)
@dataclass(frozen=True)
class Fused(Module):
    """The fused module: trains with its own rule's scale, exports its observer's."""

    averaging_constant: float = knob(0.01, low=0.001, high=1.0, help=SHARE)

    def accepts(self, spec: QuantSpec) -> str | None:
        if spec.symmetric and spec.levels < 3:
            return "PyTorch's fused rule has no symmetric grid of two codes"
        return super().accepts(spec)

    def machine(self, spec: QuantSpec) -> Machine:
        made = MovingAverageMinMaxObserver.with_args(averaging_constant=self.averaging_constant)
        module = FusedMovingAvgObsFakeQuantize(made, *spec.ends, **arguments(spec))
        return ModuleMachine(module)

    def start_share(self, batches: int) -> float | None:
        return (1 - self.averaging_constant) ** max(batches - 1, 0)


@LEARNERS.register("torch.learnable", title="torch Learnable", source=LEARNABLE)
@dataclass(frozen=True)
class LearnableLearner(Learner):
    """The scale is learned, kept at 2^-23 or more; starts at the observer's."""

    parameter: ClassVar[str] = "scale"
    use_grad_scaling: bool = knob(False, help="divide the gradient by the root of n * quant_max")

    def accepts(self, spec: QuantSpec) -> str | None:
        return refusal(spec)

    def quantizer(self, value: float, spec: QuantSpec) -> Quantizer:
        scale, zero = np.full(1, value, np.float32), np.zeros(1, np.int64)
        return TorchLearnableQuantizer(scale, zero, *spec.ends)

    def largest(self, spec: QuantSpec) -> int:
        return spec.ends[1]

    def start(self, spread: Spread, spec: QuantSpec) -> float:
        low, high = spec.ends
        return spread.largest / ((high - low) / 2)

    def factor(self, count: int, spec: QuantSpec) -> tuple[float, str]:
        if not self.use_grad_scaling:
            return super().factor(count, spec)
        top = spec.ends[1]
        return (count * top) ** -0.5, f"gradient ÷ √({count:,} × {top})"

    def raised(self, value: float) -> float:
        return max(value, EPS)
