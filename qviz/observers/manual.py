"""A range given by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import Source, knob
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral range by hand", "1")


@OBSERVERS.register("manual", title="Manual", source=SOURCE, presets={})
@dataclass(frozen=True)
class ManualObserver(Observer):
    """lo, hi as given, the same for every group, whatever the data."""

    lo: float = knob(-1.0, help="lower end, in input units")
    hi: float = knob(1.0, help="upper end, in input units")

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def accepts(self, target: Target) -> str | None:
        if not (math.isfinite(self.lo) and math.isfinite(self.hi)):
            return f"the range {self.lo:g} to {self.hi:g} is not finite: type two numbers"
        if self.lo > self.hi:
            return f"lo {self.lo:g} is above hi {self.hi:g}: exchange them"
        return None

    def range(self, seen: Seen, target: Target) -> Range:
        groups = seen[MinMax()].lo.shape
        return Range(np.full(groups, self.lo), np.full(groups, self.hi))
