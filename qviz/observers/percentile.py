"""All but a share of the elements, farthest out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.cutting import CELLS, within_data
from qviz.quantizers.base import Target
from qviz.registry import Source, knob
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral percentile, linear between order statistics", "1")
POINTS = 400  # of the curve on screen
PRESETS = {
    "percentile_99": {"keep": 99.0},
    "percentile_99.9": {"keep": 99.9},
    "percentile_99.99": {"keep": 99.99},
    "one_sided_99.9": {"keep": 99.9, "sides": 1},
}


@OBSERVERS.register("percentile", title="Percentile", source=SOURCE, presets=PRESETS)
@dataclass(frozen=True)
class PercentileObserver(Observer):
    """lo, hi such that ``keep`` % of the elements survive.

    Two sides: (100 - keep) / 2 % fall off each end. One side: all of them fall off the end
    farther from 0 (the upper one if both are as far), and the other end stays at min or max.
    Quantiles are linear between order statistics, never beyond the data; [0, 0] for a group
    without finite elements. float64 beyond float32 counts as the data's end.
    """

    keep: float = knob(99.9, low=50.0, high=100.0, help="share that survives, in %")
    sides: int = knob(2, options=(2, 1), help="ends that are cut: both, or the farther one")

    @property
    def needs(self) -> Needs:
        return (MinMax(), CELLS)

    def range(self, seen: Seen, target: Target) -> Range:
        spread, cells = seen[MinMax()], seen[CELLS].ladder
        share = (100.0 - self.keep) / 100.0 / self.sides
        with np.errstate(all="ignore"):
            lo, hi = cells.quantile(share), cells.quantile(1.0 - share)
        if share == 0:
            lo, hi = spread.lo, spread.hi
        if self.sides == 1:
            down = -spread.lo > spread.hi
            lo, hi = np.where(down, lo, spread.lo), np.where(down, spread.hi, hi)
        return within_data(lo, hi, spread, cells.exact)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        spread, cells = seen[MinMax()], seen[CELLS].ladder
        with np.errstate(all="ignore"):
            width = spread.hi[:1] - spread.lo[:1]
        if not (np.isfinite(width) & (width >= 0)).any():
            return None
        chosen = self.range(seen, target)
        x = np.linspace(spread.lo[0], spread.hi[0], POINTS)
        below = np.pad(cells.cumulative[0], (1, 0))
        share = 100.0 * below[np.searchsorted(cells.lo[0], x, side="right")] / cells.total[0]
        ends = {"lo": float(chosen.lo[0]), "hi": float(chosen.hi[0])}
        words = f"Between the two ends lie {self.keep:g} % of the elements."
        return Decision(
            "tensor value",
            "elements up to here, %",
            x,
            {"cumulative share": share},
            tuple(ends.values()),
            words,
            ends,
        )
