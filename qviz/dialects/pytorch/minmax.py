"""PyTorch's MinMaxObserver: smallest to largest element."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.dialects.pytorch.dialect import MINMAX
from qviz.dialects.pytorch.extremes import checked, extremes, only_whole
from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax


@OBSERVERS.register(
    "torch.minmax", title="torch MinMax", source=MINMAX, golden="observer:cls=MinMaxObserver"
)
@dataclass(frozen=True)
class TorchMinMax(Observer):
    """lo, hi = float32 min x, max x over all batches; NaN and infinities are kept and refused."""

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def accepts(self, target: Target) -> str | None:
        return only_whole("MinMaxObserver", target)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*extremes(seen[MinMax()]))
