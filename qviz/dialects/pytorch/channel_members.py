"""PyTorch's per-channel observers as members: the same rules, each channel by itself."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.dialects.pytorch.dialect import PER_CHANNEL
from qviz.dialects.pytorch.extremes import refusal
from qviz.dialects.pytorch.minmax import TorchMinMax
from qviz.dialects.pytorch.moving_average import TorchMovingAverage
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import Target


def _only_channels(target: Target) -> str | None:
    if target.granularity.kind != "per_channel":
        return "this is PyTorch's observer of channels: choose per channel"
    return refusal(target)


@OBSERVERS.register(
    "torch.per_channel_minmax",
    title="torch MinMax ch.",
    source=PER_CHANNEL,
    golden="observer:cls=PerChannelMinMaxObserver",
)
@dataclass(frozen=True)
class TorchChannelMinMax(TorchMinMax):
    """lo, hi = float32 min x, max x of each channel; NaN and infinities are kept and refused."""

    def accepts(self, target: Target) -> str | None:
        return _only_channels(target)


@OBSERVERS.register(
    "torch.per_channel_moving_average",
    title="torch Mov. avg. ch",
    source=PER_CHANNEL,
    golden="observer:cls=MovingAveragePerChannelMinMaxObserver",
)
@dataclass(frozen=True)
class TorchChannelMovingAverage(TorchMovingAverage):
    """m += averaging_constant * (min x - m) for each channel, likewise the maximum; float32."""

    def accepts(self, target: Target) -> str | None:
        return _only_channels(target)
