"""TI's range shrink: cut a percentage of the elements on each side, on 256 bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.ti.dialect import EXTREMA
from qviz.dialects.ti.histogram import LAST, Shares, SharesState, TiHistogram
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen

RATE = np.float32(0.01)  # weight of each further batch, range-shrink observer
Ends = tuple[np.float32, np.float32]


def sums(percent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Running sums from the left and from the right, added in order in float32, (256,) each."""
    return np.cumsum(percent), np.cumsum(percent[::-1])[::-1]


def kept_bins(percent: np.ndarray, percentile: float) -> tuple[int, int]:
    """Lowest and highest bin kept: the last whose running sum is below ``percentile``.

    Each sum runs over all bins from its own side; where none is below, the first and last bin.
    """
    edge = percent.dtype.type(percentile)
    left, right = (int((s < edge).sum()) for s in sums(percent))
    return max(left - 1, 0), len(percent) - 1 - max(right - 1, 0)


@np.errstate(over="ignore", invalid="ignore")
def shrunk(batch: Shares, percentile: float) -> Ends:
    """Range of one batch: the middles of the kept bins, not beyond its extremes; float32."""
    if batch.percent is None or percentile == 0:
        return batch.lo, batch.hi
    low, high = kept_bins(batch.percent, percentile)
    width = np.float32(1) / batch.factor
    lo, hi = width * np.float32(low) + batch.lo, width * np.float32(high) + batch.lo
    return np.maximum(batch.lo, lo), np.minimum(batch.hi, hi)


@OBSERVERS.register("ti.percentile", title="TI Percentile", source=EXTREMA, golden="ti.extrema")
@dataclass(frozen=True)
class TiPercentile(Observer):
    """Cut up to ``range_shrink_percentile`` percent of the elements on each side.

    lo = min + (last bin whose running sum is below the percentile) / bins per unit, hi likewise
    from the right. Over several batches m += 0.01 * (m of batch - m), the first is copied. A
    percentile of 0 is min-max, and so is a constant batch, at which TI's own code stops.
    """

    range_shrink_percentile: float = knob(
        0.01, low=0.0, high=49.9, help="percent of the elements cut on each side"
    )
    fast_mode: bool = knob(False, help="read every second row and column of 4-D batches")
    seed: int = knob(0, low=0, high=9999, help="of the row and column starts in fast mode")

    @property
    def needs(self) -> Needs:
        return (self._recipe,)

    def accepts(self, target: Target) -> str | None:
        if target.granularity.kind != "per_tensor":
            return "TI's range utilities are per tensor only"
        return None

    def range(self, seen: Seen, target: Target) -> Range:
        lo, hi = _averaged([shrunk(b, self.range_shrink_percentile) for b in self._batches(seen)])
        return Range(
            np.asarray(lo), np.maximum(lo, hi)
        )  # rounding may let nearly equal averages cross

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        last = self._batches(seen)[-1]
        if last.percent is None or self.range_shrink_percentile == 0:
            return None
        middles = float(last.lo) + np.arange(LAST + 1) / float(last.factor)
        left, right = sums(last.percent)
        low, high = kept_bins(last.percent, self.range_shrink_percentile)
        words = (
            f"The last bin on either side whose running sum stays below "
            f"{self.range_shrink_percentile:g} % is kept: {low} and {high}."
        )
        return Decision(
            "tensor value",
            "running sum (% of elements)",
            middles,
            {"from the left": left, "from the right": right},
            (float(middles[low]), float(middles[high])),
            words,
        )

    @property
    def _recipe(self) -> TiHistogram:
        thinned = self.fast_mode and self.range_shrink_percentile > 0
        return TiHistogram(thinned, self.seed if thinned else 0)

    def _batches(self, seen: Seen) -> tuple[Shares, ...]:
        state: SharesState = seen[self._recipe]
        if not state.batches:
            raise QvizError(
                "There is no finite element to take a range from.",
                "NaN, infinities and what overflows float32 are left out here.",
                "Look at where the tensor comes from.",
            )
        return state.batches


@np.errstate(over="ignore", invalid="ignore")
def _averaged(ranges: list[Ends]) -> Ends:
    """The range after all batches, float32."""
    lo, hi = ranges[0]
    for new_lo, new_hi in ranges[1:]:
        lo, hi = lo + RATE * (new_lo - lo), hi + RATE * (new_hi - hi)
    return lo, hi
