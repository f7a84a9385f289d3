"""The largest magnitude, to both sides."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import Source
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral abs-max", "1")


@OBSERVERS.register("absmax", title="AbsMax", source=SOURCE)
@dataclass(frozen=True)
class AbsMaxObserver(Observer):
    """lo, hi = -m, m with m = max|x| over all batches; 0 for a group without finite elements."""

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def range(self, seen: Seen, target: Target) -> Range:
        amax = seen[MinMax()].amax
        return Range(0.0 - amax, amax)
