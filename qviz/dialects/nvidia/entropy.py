"""NVIDIA's entropy calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.nvidia.dialect import CALIBRATOR
from qviz.dialects.nvidia.histogram import NvidiaHistogram, NvidiaMagnitudes
from qviz.dialects.nvidia.search import divergences, last_least
from qviz.dialects.nvidia.state import around_zero, candidates, refusal, usable
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.thinning import thinned
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen

Curve = tuple[np.ndarray, np.ndarray, int]  # bins kept, divergences, index of the winner


@OBSERVERS.register(
    "nvidia.entropy", title="NVIDIA Entropy", source=CALIBRATOR, golden="entropy.nvidia"
)
@dataclass(frozen=True)
class NvidiaEntropy(Observer):
    """The magnitude at which cutting and coarsening change the distribution of |x| least.

    For i of ``start_bin``, ``start_bin`` + ``stride`` .. all bins: p is the first i bins with all
    counts beyond added to the last; q gives each of these bins that is not empty the mean of its
    level, 2^(bits - 1) levels (2^bits if unsigned), without those counts. The last of the least
    sum p ln(p / q) wins; amax is the left edge of bin i; lo, hi = -amax, amax.

    Differs: bin 1 is copied over bin 0 first, so that zeros do not count. Data that stay away
    from 0 get the left edge of their first bin, below every value: the divergence of empty bins
    is NaN there, and that counts as the least.
    """

    num_bins: int = knob(2048, low=16, high=8192, help="bins of the first histogram")
    start_bin: int = knob(128, low=1, high=8192, help="fewest bins kept")
    stride: int = knob(1, low=1, high=512, help="bins from one candidate to the next")
    unsigned: bool = knob(False, help="codes without a sign: twice the levels")
    skip_zeros: bool = knob(False, help="leave zeros out of the histogram")

    @property
    def needs(self) -> Needs:
        return (NvidiaMagnitudes(self.num_bins, self.skip_zeros),)

    def accepts(self, target: Target) -> str | None:
        if self.start_bin > self.num_bins:
            return "start_bin lies beyond the histogram: lower it, or raise num_bins"
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        state = seen[NvidiaMagnitudes(self.num_bins, self.skip_zeros)]
        return around_zero(self.amax(state, target.spec.bits))

    def amax(self, state: NvidiaHistogram, bits: int) -> np.floating:
        """The threshold in float32."""
        kept, _, best = self._curve(state, bits)
        return np.float32(state.edges[kept[best]])

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        state = seen[NvidiaMagnitudes(self.num_bins, self.skip_zeros)]
        kept, found, best = self._curve(state, target.spec.bits)
        finite = np.flatnonzero(np.isfinite(found))
        if finite.size < 2 or state.edges[-1] == 0:
            return None
        shown = finite[thinned(finite.size, int(np.searchsorted(finite, best)))]
        amax = float(state.edges[kept[best]])
        words = f"Of {len(kept)} clips the last with the least divergence was kept."
        if np.isnan(found[best]):
            words = "No element lies below this clip: its divergence is NaN, and that wins here."
        return Decision(
            "clip, tensor units",
            "divergence, nats",
            state.edges[kept[shown]].astype(np.float64),
            {"divergence": found[shown]},
            (amax,),
            words,
            {"largest magnitude": float(state.edges[-1])},
        )

    def _curve(self, state: NvidiaHistogram, bits: int) -> Curve:
        counts = usable(state)
        kept = candidates(len(counts) + 1, self.start_bin, self.stride)
        found = divergences(counts, 2 ** (bits - 1 + self.unsigned), kept)
        return kept, found, last_least(found)
