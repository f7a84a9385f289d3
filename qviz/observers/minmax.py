"""The whole range: smallest to largest element."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import Source
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral min-max", "1")


@OBSERVERS.register("minmax", title="MinMax", source=SOURCE)
@dataclass(frozen=True)
class MinMaxObserver(Observer):
    """lo, hi = min x, max x over all batches."""

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def range(self, seen: Seen, target: Target) -> Range:
        spread = seen[MinMax()]
        return Range(spread.lo, spread.hi)
