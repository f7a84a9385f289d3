"""PyTorch's fused module as members: its rule as a mode, and its trained answer as a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.pytorch.affine import TorchAffine, TorchAffineQuantizer, refusal, spanning
from qviz.dialects.pytorch.channel_quantizer import TorchChannelQuantizer
from qviz.dialects.pytorch.dialect import FIXED, FUSED
from qviz.dialects.pytorch.extremes import checked
from qviz.dialects.pytorch.fused_rule import FusedRule
from qviz.dialects.pytorch.moving_average import BATCHES, averaged
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.stats.base import Seen

MOST_CODES = 256  # of the picture


def fused_grid(range: Range, spec: QuantSpec, *, channels: bool = False) -> Quantizer:
    """What the fused module quantizes with."""
    rule = FusedRule(spec.ends, spec.symmetric)
    found = rule.qparams(range.lo.astype(np.float32), range.hi.astype(np.float32))
    kind = TorchChannelQuantizer if channels else TorchAffineQuantizer
    return spanning(kind(*found, *spec.ends), range)


@QUANTIZERS.register(
    "torch.fused",
    title="torch Fused",
    source=FUSED,
    golden="module:cls=FusedMovingAvgObsFakeQuantize",
)
@dataclass(frozen=True)
class TorchFused(Mode):
    """The fused module's rule: the zero point from the better end, a scale of 6.1e-5 or more.

    Symmetric codes mirror the range only where it lies on both sides of 0; data of one sign is
    quantized as affine.
    """

    def accepts(self, target: Target) -> str | None:
        if target.spec.symmetric and target.spec.levels < 3:
            return "PyTorch's fused rule has no symmetric grid of two codes"
        return refusal(target.spec)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return fused_grid(range, spec)


@OBSERVERS.register(
    "torch.fused_moving_average",
    title="torch Fused mov.",
    source=FUSED,
    golden="module:cls=FusedMovingAvgObsFakeQuantize",
)
@dataclass(frozen=True)
class TorchFusedMovingAverage(Observer):
    """The range of ``torch.moving_average``, with the scale and zero point used in training.

    The exported ones are those of ``torch.moving_average`` under ``torch.affine``; the picture of
    the decision shows both grids. Channels are those of axis 0.
    """

    averaging_constant: float = knob(0.01, low=0.001, high=1.0, help="share of each new batch")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        kind, axis = target.granularity.kind, target.granularity.axis
        if kind not in ("per_tensor", "per_channel") or (kind == "per_channel" and axis != 0):
            return "PyTorch's fused module is per tensor, or per channel of axis 0"
        return TorchFused().accepts(target)

    def range(self, seen: Seen, target: Target) -> Quantizer:
        channels = target.granularity.kind == "per_channel"
        return fused_grid(self._averaged(seen), target.spec, channels=channels)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        if not seen[BATCHES] or not seen[BATCHES][-1].finite[:1].any():
            return None
        whole = self._averaged(seen)
        ends = Range(whole.lo[:1], whole.hi[:1])
        grids = fused_grid(ends, target.spec), TorchAffine().quantizer(ends, target.spec)
        low, high = target.spec.ends
        count = min(MOST_CODES, target.spec.levels)
        codes = np.unique(np.linspace(low, high, count).round())
        trained, exported = (g.dequantize(codes[None])[0].astype(np.float64) for g in grids)
        (scale, zero), (other, other_zero) = (_numbers(grid) for grid in grids)
        words = (
            f"Training uses scale {scale:.6g} and zero point {zero}; "
            f"calculate_qparams() exports scale {other:.6g} and zero point {other_zero}."
        )
        return Decision(
            "code",
            "level (tensor units)",
            codes,
            {"in training": trained, "exported": exported},
            (float(zero),),
            words,
        )

    def _averaged(self, seen: Seen) -> Range:
        return checked(*averaged(seen[BATCHES], self.averaging_constant)[-1])


def _numbers(grid: Quantizer) -> tuple[float, int]:
    found = grid.qparams()
    scale, zero = found["scale"], found["zero_point"]
    if scale is None or zero is None:
        raise QvizError("This grid has no scale and zero point.")
    return float(scale[0]), int(zero[0])


@OBSERVERS.register(
    "torch.fixed_qparams",
    title="torch Fixed",
    source=FIXED,
    presets={},
    golden="module:preset=default_fixed_qparams_range_0to1_fake_quant",
)
@dataclass(frozen=True)
class TorchFixedQParams(Observer):
    """A scale and zero point given once, for outputs whose range is known: sigmoid, tanh."""

    scale: float = knob(2.0**-8, low=2.0**-23, high=1.0, help="step between two codes")
    zero_point: int = knob(0, low=-128, high=255, help="code of 0")

    def accepts(self, target: Target) -> str | None:
        low, high = target.spec.ends
        if target.granularity.kind != "per_tensor":
            return "PyTorch's FixedQParamsObserver is per tensor only"
        return None if low <= self.zero_point <= high else "the zero point is none of the codes"

    def range(self, seen: Seen, target: Target) -> Quantizer:
        scale, zero = np.full(1, self.scale, np.float32), np.full(1, self.zero_point)
        return TorchAffineQuantizer(scale, zero, *target.spec.ends)
