"""The range that follows the batches: an exponential average of their extremes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import Source, knob
from qviz.spec import Range
from qviz.stats.base import PerBatch, Seen
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral moving average", "1")
BATCHES = PerBatch(MinMax())


@OBSERVERS.register("moving_average", title="Moving average", source=SOURCE)
@dataclass(frozen=True)
class MovingAverageObserver(Observer):
    """lo += rate * (min of batch - lo), hi likewise; the first batch is copied. float64.

    With one batch it is min-max. Batches without a finite element are passed over.
    """

    rate: float = knob(0.1, low=0.001, high=1.0, help="share of each new batch")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def range(self, seen: Seen, target: Target) -> Range:
        lo, hi = self._path(seen)
        return Range(lo[-1], hi[-1])

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        states = seen[BATCHES]
        if len(states) < 2:
            return None
        lo, hi = self._path(seen)
        curves = {
            "batch min": np.array([s.lo[0] for s in states]),
            "batch max": np.array([s.hi[0] for s in states]),
            "lo": np.array([v[0] for v in lo]),
            "hi": np.array([v[0] for v in hi]),
        }
        words = f"Each batch moves the range by {self.rate:g} of the way to its own extremes."
        x = np.arange(1, len(states) + 1)
        return Decision("batch", "tensor value", x, curves, (float(len(states)),), words)

    def _path(self, seen: Seen) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Running lo and hi after each batch."""
        lows: list[np.ndarray] = []
        highs: list[np.ndarray] = []
        with np.errstate(invalid="ignore"):  # a batch without finite elements ends at infinity
            for state in seen[BATCHES]:
                for path, end in ((lows, state.lo), (highs, state.hi)):
                    last = path[-1] if path else end
                    moved = np.where(np.isfinite(last), last + self.rate * (end - last), end)
                    path.append(np.where(np.isfinite(end), moved, last))
        return lows, highs
