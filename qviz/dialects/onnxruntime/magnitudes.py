"""ONNX Runtime's growing histogram of magnitudes, for its symmetric percentile."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qviz import xp
from qviz.dialects.onnxruntime.bins import (
    MOST_BINS,
    counted,
    counted_between,
    equal_edges,
    extremes,
    kind_of,
    pieces,
)
from qviz.dialects.onnxruntime.values import OrtHistogram
from qviz.stats.base import Batch, Running


@dataclass(frozen=True)
class OrtMagnitudes(Running[OrtHistogram]):
    """Counts of |x| in equal bins from min|x| to max|x| of the first batch.

    A larger magnitude in a later batch adds bins of the same width above; what lies below the
    first batch's least magnitude is not counted. NaN in the first batch, infinities and a later
    empty batch are refused; later NaN is left out. A batch is what one call of ``collect`` gets.
    float64 is read as float32.
    """

    num_bins: int = 2048

    def start(self) -> OrtHistogram:
        return OrtHistogram.empty()

    def step(self, state: OrtHistogram, batch: Batch) -> OrtHistogram:
        if state.refused:
            return state
        with np.errstate(all="ignore"):
            lo, hi, odd = extremes(batch)
            first = state.counts is None
            edges = _first(batch, self.num_bins, odd) if first else _grown(state, batch, lo, hi)
            if isinstance(edges, str):
                return replace(state, refused=edges)
            if state.counts is None:
                counts = counted(batch, edges, magnitudes=True)
                return OrtHistogram(counts, edges, lo, hi, edges[-1])
            counts = counted_between(batch, edges)
            counts[: len(state.counts)] += state.counts
            edges = edges.astype(state.edges.dtype)
            lo, hi = np.fmin(state.lo, lo), np.fmax(state.hi, hi)
            return OrtHistogram(counts, edges, lo, hi, edges[-1])


def _first(batch: Batch, bins: int, odd: bool) -> np.ndarray | str:
    """Edges over the magnitudes of the first batch; over [0, 1] where it is empty."""
    if odd:
        return "The first batch holds NaN: its magnitudes have no range."
    if xp.size(batch.x) == 0:
        kind = kind_of(batch)
        return equal_edges(kind(0), kind(1), bins)
    ends = np.array([_ends(x) for x in pieces(batch, magnitudes=True)])
    return equal_edges(ends[:, 0].min(), ends[:, 1].max(), bins)


def _ends(x: xp.Array) -> tuple[np.floating, np.floating]:
    ns = xp.namespace(x)
    lo, hi = ns.amin(x, axis=0, keepdims=True), ns.amax(x, axis=0, keepdims=True)
    return xp.host(lo)[0], xp.host(hi)[0]


def _grown(state: OrtHistogram, batch: Batch, lo: np.floating, hi: np.floating) -> np.ndarray | str:
    """The old edges, and as many more of the same width as a further batch needs, in float64."""
    edges, most = state.edges, np.maximum(np.abs(lo), np.abs(hi))
    if xp.size(batch.x) == 0:
        return "A batch after the first is empty."
    if not most > edges[-1]:
        return edges
    width = edges[1] - edges[0]
    if not len(edges) + (most - edges[-1]) / width < MOST_BINS:
        return (
            f"A batch reaches to {most:g}, the first to {edges[-1]:g}: too many bins would follow."
        )
    return np.hstack((edges, np.arange(edges[-1] + width, most + width, width)))
