"""ONNX Runtime's growing histogram of values, symmetric about 0: one step per collect call."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qviz.dialects.onnxruntime.bins import MOST_BINS, counted, equal_edges, extremes
from qviz.stats.base import Batch, Running


@dataclass(frozen=True, eq=False)
class OrtHistogram:
    """Counts, int64 (bins,), between ``edges`` (bins + 1,) in float32 (float16 for float16).

    ``lo`` and ``hi`` are the extremes of all batches, 0 where a batch is empty; ``threshold`` is
    the half width of a histogram of values, of magnitudes the last edge. ``counts`` is None
    before any data. ``refused`` says why ONNX Runtime stops at a batch; what comes after it is
    not counted.
    """

    counts: np.ndarray | None
    edges: np.ndarray
    lo: np.floating
    hi: np.floating
    threshold: np.floating
    refused: str = ""

    @classmethod
    def empty(cls) -> OrtHistogram:
        """Before any data."""
        none = np.float32(0)
        return cls(None, np.zeros(0, np.float32), none, none, none)


@dataclass(frozen=True)
class OrtValues(Running[OrtHistogram]):
    """Counts in equal bins over [-t, t], t = max|x| of the first batch.

    A batch with a larger magnitude adds whole bins of the same width on both sides. NaN is left
    out; an infinity is refused. A batch is what one call of ``collect`` gets. float64 is read
    as float32.
    """

    num_bins: int = 128

    def start(self) -> OrtHistogram:
        return OrtHistogram.empty()

    def step(self, state: OrtHistogram, batch: Batch) -> OrtHistogram:
        if state.refused:
            return state
        with np.errstate(all="ignore"):
            lo, hi, _ = extremes(batch)
            threshold = np.maximum(np.abs(lo), np.abs(hi))
            first = state.counts is None
            made = _first(threshold, self.num_bins) if first else _grown(state, threshold)
            if isinstance(made, str):
                return replace(state, refused=made)
            edges, threshold, margin = made
            counts = counted(batch, edges)
            if state.counts is not None:
                counts[margin : len(counts) - margin] += state.counts
                lo, hi = np.minimum(state.lo, lo), np.maximum(state.hi, hi)
            return OrtHistogram(counts, edges, lo, hi, threshold)


Frame = tuple[np.ndarray, np.floating, int]  # edges, half width, new bins on each side


def _first(threshold: np.floating, bins: int) -> Frame | str:
    edges = equal_edges(-threshold, threshold, bins)
    return edges if isinstance(edges, str) else (edges, threshold, 0)


def _grown(state: OrtHistogram, threshold: np.floating) -> Frame | str:
    """The frame that holds the old bins and a further batch's ``threshold``."""
    old, bins = state.threshold, len(state.edges) - 1
    if threshold <= old:
        return state.edges, old, 0
    if old == 0:
        return _first(threshold, bins)
    stride = type(old)(2) * old / type(old)(bins)
    margin = float((threshold - old) // stride + type(old)(1))
    if not bins + 2 * margin <= MOST_BINS:
        return (
            f"A batch reaches to {threshold:g}, the first to {old:g}: too many bins would follow."
        )
    edges_to = type(old)(margin) * stride + old
    edges = equal_edges(-edges_to, edges_to, bins + 2 * int(margin))
    return edges if isinstance(edges, str) else (edges, edges_to, int(margin))
