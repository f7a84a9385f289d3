"""ONNX Runtime's entropy calibrator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.onnxruntime.dialect import COLLECTOR
from qviz.dialects.onnxruntime.divergence import divergences, half_widths, kept
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.state import Ends, cut, ordered, refusal, usable
from qviz.dialects.onnxruntime.values import OrtHistogram, OrtValues
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.thinning import thinned
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen

MOST_SEARCHED = 2**14  # bins: the work grows with their square


@dataclass(frozen=True, eq=False)
class Searched:
    """Candidates, their divergences, and the edges that each keeps; (candidates,) each."""

    half: np.ndarray
    divergence: np.ndarray
    lo: np.ndarray
    hi: np.ndarray

    @property
    def best(self) -> int:
        """The first of the least divergences."""
        return int(self.divergence.argmin())


def searched(counts: np.ndarray, edges: np.ndarray, levels: int) -> Searched:
    """All candidates of a histogram; see ``divergences``."""
    bins = len(counts)
    if bins > MOST_SEARCHED:
        raise InvalidValue(
            f"The histogram has grown to {bins:,} bins.",
            f"At most {MOST_SEARCHED:,} are searched; ONNX Runtime would take hours.",
            "Let the first batch be as wide as the others, or use fewer bins.",
        )
    half = half_widths(bins, levels)
    start, end = np.array([kept(h, bins) for h in half.tolist()]).T
    return Searched(half, divergences(counts, levels), edges[start], edges[end])


@OBSERVERS.register("ort.entropy", title="ORT Entropy", source=COLLECTOR, golden="entropy.ort")
@dataclass(frozen=True)
class OrtEntropy(Observer):
    """The part of a symmetric histogram whose distribution suffers least from fewer levels.

    Candidates keep ``num_quantized_bins`` / 2 to ``num_bins`` / 2 bins on each side of the
    middle, and one more on the right. p is what is kept, with all counts outside added to its
    ends; q is what is kept with the counts of each level shared by its bins as whole numbers.
    Both are smoothed by 1e-4 and normalized in float32; the first least sum p ln(p / q) wins.
    The range is the candidate's edges, cut to the data.

    Differs: with the 128 bins and 128 levels of create_calibrator there is a single candidate,
    so the result is plain minimum to maximum. The number of codes plays no part.
    """

    num_bins: int = knob(128, low=16, high=8192, help="bins of the first histogram")
    num_quantized_bins: int = knob(128, low=2, high=2048, help="levels that are tried")

    @property
    def needs(self) -> Needs:
        return (OrtValues(self.num_bins),)

    def accepts(self, target: Target) -> str | None:
        if self.num_bins // 2 < self.num_quantized_bins // 2:
            return "num_bins must be at least num_quantized_bins: nothing is left to choose"
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        return ordered(*self.ends(seen[OrtValues(self.num_bins)]))

    def ends(self, state: OrtHistogram) -> Ends:
        """lo, hi as ONNX Runtime gives them, in the histogram's type."""
        found = self._searched(state)
        return cut(found.lo[found.best], found.hi[found.best], state)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        state = seen[OrtValues(self.num_bins)]
        found = self._searched(state)
        finite = np.flatnonzero(np.isfinite(found.divergence))
        if finite.size < min(found.half.size, 2) or not state.hi > state.lo:
            return None
        best = int(np.flatnonzero(finite == found.best)[0])
        shown = finite[thinned(finite.size, best)]
        x, y, clip = found.hi[shown], found.divergence[shown], float(found.hi[found.best])
        words = f"Of {found.half.size} ranges the first with the least divergence was kept."
        if found.half.size == 1:
            x, y = np.array([0.0, clip]), np.repeat(y, 2)
            words = (
                f"{self.num_bins} bins leave one candidate for {self.num_quantized_bins} levels: "
                "the range is that of the data. Use more bins."
            )
        return Decision(
            "upper edge kept, tensor units",
            "divergence, nats",
            x.astype(np.float64),
            {"divergence": y},
            (clip,),
            words,
            {"largest magnitude": float(state.threshold)},
        )

    def _searched(self, state: OrtHistogram) -> Searched:
        return searched(usable(state), state.edges, self.num_quantized_bins)
