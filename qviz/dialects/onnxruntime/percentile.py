"""ONNX Runtime's percentile calibrator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.onnxruntime.dialect import COLLECTOR
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.magnitudes import OrtMagnitudes
from qviz.dialects.onnxruntime.state import Ends, cut, ordered, refusal, usable
from qviz.dialects.onnxruntime.values import OrtHistogram, OrtValues
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.thinning import thinned
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen


@OBSERVERS.register(
    "ort.percentile", title="ORT Percentile", source=COLLECTOR, golden="percentile.ort"
)
@dataclass(frozen=True)
class OrtPercentile(Observer):
    """Edges of a histogram that keep ``percentile`` % of the elements, cut to the data.

    Symmetric: t is the left edge of the first bin of |x| up to and with which the share is
    reached; lo, hi = -t, t. Else (100 - percentile) / 2 % fall off each side of a histogram of
    values, left edges on both sides. Shares are added up in float64.

    Differs: an edge is a left edge, so even 100 % may cut the largest elements. The histogram of
    magnitudes starts at the least one, not at 0.
    """

    percentile: float = knob(99.999, low=0.0, high=100.0, help="share that survives, in %")
    num_bins: int = knob(2048, low=16, high=8192, help="bins of the first histogram")
    symmetric: bool = knob(True, help="one threshold for both signs")

    @property
    def needs(self) -> Needs:
        return (self.recipe,)

    def accepts(self, target: Target) -> str | None:
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        return ordered(*self.ends(seen[self.recipe]))

    def ends(self, state: OrtHistogram) -> Ends:
        """lo, hi as ONNX Runtime gives them, in the histogram's type.

        Raises
        ------
        InvalidValue
            A percentile that is no percentage.
        """
        if not 0 <= self.percentile <= 100:
            raise InvalidValue(f"{self.percentile} is no percentile.", "It lies from 0 to 100.")
        return cut(*self._edges(usable(state), state.edges), state)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        state = seen[self.recipe]
        counts = usable(state)
        if not counts.any() or not state.hi > state.lo:
            return None
        lo, hi = self._edges(counts, state.edges)
        shown = thinned(len(counts), 0)
        side = "|value|" if self.symmetric else "value"
        ends = {"t": float(hi)} if self.symmetric else {"lo": float(lo), "hi": float(hi)}
        return Decision(
            f"tensor {side}",
            "elements up to here, %",
            state.edges[1:][shown].astype(np.float64),
            {"cumulative share": 100.0 * cumulative(counts)[shown]},
            tuple(ends.values()),
            f"{self.percentile:g} % of the elements are to survive; left edges of bins are taken.",
            ends,
        )

    @property
    def recipe(self) -> OrtMagnitudes | OrtValues:
        """The histogram that is collected."""
        return OrtMagnitudes(self.num_bins) if self.symmetric else OrtValues(self.num_bins)

    def _edges(self, counts: np.ndarray, edges: np.ndarray) -> Ends:
        shares = cumulative(counts)
        if self.symmetric:
            edge = edges[np.searchsorted(shares, self.percentile / 100.0)]
            return -edge, edge
        part = (100.0 - self.percentile) / 200.0
        return edges[np.searchsorted(shares, part)], edges[np.searchsorted(shares, 1.0 - part)]


def cumulative(counts: np.ndarray) -> np.ndarray:
    """Share of the elements up to and with each bin, added up in float64; NaN of no element."""
    with np.errstate(invalid="ignore"):
        return np.cumsum(counts / counts.sum())
