"""NVIDIA's percentile calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.nvidia.dialect import CALIBRATOR
from qviz.dialects.nvidia.errors import InvalidValue
from qviz.dialects.nvidia.histogram import NvidiaHistogram, NvidiaMagnitudes
from qviz.dialects.nvidia.state import around_zero, refusal, usable
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.thinning import thinned
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen


@OBSERVERS.register(
    "nvidia.percentile", title="NVIDIA Percentile", source=CALIBRATOR, golden="percentile.nvidia"
)
@dataclass(frozen=True)
class NvidiaPercentile(Observer):
    """amax is the left edge of the first bin of |x| with which ``percentile`` % are reached.

    lo, hi = -amax, amax, for data without negative values too. Shares are added up in float64.

    Differs: an edge is a left edge, so even 100 % need not reach the maximum.
    """

    percentile: float = knob(99.99, low=0.0, high=100.0, help="share that survives, in %")
    num_bins: int = knob(2048, low=16, high=8192, help="bins of the first histogram")
    skip_zeros: bool = knob(False, help="leave zeros out of the histogram")

    @property
    def needs(self) -> Needs:
        return (NvidiaMagnitudes(self.num_bins, self.skip_zeros),)

    def accepts(self, target: Target) -> str | None:
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        return around_zero(self.amax(seen[NvidiaMagnitudes(self.num_bins, self.skip_zeros)]))

    def amax(self, state: NvidiaHistogram) -> np.floating:
        """The threshold in float32.

        Raises
        ------
        InvalidValue
            A percentile that is no percentage.
        """
        if not 0 <= self.percentile <= 100:
            raise InvalidValue(f"{self.percentile} is no percentile.", "It lies from 0 to 100.")
        return state.edges[np.searchsorted(_shares(state), self.percentile / 100)]

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        state = seen[NvidiaMagnitudes(self.num_bins, self.skip_zeros)]
        amax, shares = float(self.amax(state)), _shares(state)
        if state.edges[-1] == 0:
            return None
        shown = thinned(len(shares), 0)
        return Decision(
            "tensor |value|",
            "elements up to here, %",
            state.edges[1:][shown].astype(np.float64),
            {"cumulative share": 100.0 * shares[shown]},
            (amax,),
            f"{self.percentile:g} % of the elements are to survive; left edges of bins are taken.",
            {"amax": amax},
        )


def _shares(state: NvidiaHistogram) -> np.ndarray:
    """Share of the elements up to and with each bin."""
    counts = usable(state)
    return np.cumsum(counts / counts.sum())
