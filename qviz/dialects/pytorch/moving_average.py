"""PyTorch's MovingAverageMinMaxObserver: batch extremes, averaged exponentially."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from qviz.dialects.pytorch.dialect import MOVING_AVERAGE
from qviz.dialects.pytorch.extremes import checked, extremes, only_whole
from qviz.dialects.pytorch.running import NO_DATA, Ends, RunningAverage
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import PerBatch, Seen
from qviz.stats.minmax import MinMax, MinMaxState

BATCHES = PerBatch(MinMax())
Path = list[tuple[np.ndarray, np.ndarray]]


def averaged(batches: Iterable[MinMaxState], averaging_constant: float) -> Path:
    """Running minimum and maximum after each batch, float32 (groups,); see RunningAverage."""
    rule, state, path = RunningAverage(averaging_constant), NO_DATA, []
    for batch in batches:
        new = Ends(*extremes(batch))
        state = rule.after(state, new) if batch.n.any() or not path else state
        path.append((state.lo, state.hi))
    return path


@OBSERVERS.register(
    "torch.moving_average",
    title="torch Moving avg.",
    source=MOVING_AVERAGE,
    golden="observer:cls=MovingAverageMinMaxObserver",
)
@dataclass(frozen=True)
class TorchMovingAverage(Observer):
    """m += averaging_constant * (min x - m), likewise the maximum, in float32.

    With one batch it is min-max. NaN and infinities are kept and refused.
    """

    averaging_constant: float = knob(0.01, low=0.001, high=1.0, help="share of each new batch")

    @property
    def needs(self) -> Needs:
        return (BATCHES,)

    def accepts(self, target: Target) -> str | None:
        return only_whole("MovingAverageMinMaxObserver", target)

    def range(self, seen: Seen, target: Target) -> Range:
        return checked(*averaged(seen[BATCHES], self.averaging_constant)[-1])

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        states = seen[BATCHES]
        if len(states) < 2:
            return None
        path = averaged(states, self.averaging_constant)
        curves = {
            "batch min": np.array([state.lo[0] for state in states]),
            "batch max": np.array([state.hi[0] for state in states]),
            "lo": np.array([lo[0] for lo, _ in path], np.float64),
            "hi": np.array([hi[0] for _, hi in path], np.float64),
        }
        share = f"{self.averaging_constant:g}"
        words = f"Each batch moves the range by {share} of the way to its own extremes."
        x = np.arange(1, len(states) + 1)
        return Decision("batch", "tensor value", x, curves, (float(len(states)),), words)
