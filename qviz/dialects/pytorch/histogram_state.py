"""The growing histogram of PyTorch's HistogramObserver: one step per batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.float32 import linspace, total
from qviz.stats.base import Batch, Running
from qviz.stats.stream import chunks
from qviz.xp import Array

BLOCK = 2**15  # elements binned at a time: what is computed of them stays in the cache
UPSAMPLE = 16  # fine bins per bin while the old counts move to a wider range
End = np.float32 | np.float64


@dataclass(frozen=True, eq=False)
class HistogramState:
    """Counts in equal bins from ``min`` to ``max``; +inf and -inf before any data.

    ``histogram`` is float32 (bins,). ``refused`` counts the batches on which PyTorch raises a
    RuntimeError: those with NaN, and those with or after float64 ends beyond float32. Such a batch
    leaves the counts as they were.
    """

    histogram: np.ndarray
    min: np.float32
    max: np.float32
    refused: int = 0

    @property
    def unseen(self) -> bool:
        """Whether there is no data yet."""
        return bool(self.min == np.inf or self.max == -np.inf)


@dataclass(frozen=True)
class TorchHistogram(Running[HistogramState]):
    """Counts of a stream whose range grows: old counts are moved into the wider bins.

    Infinite elements are dropped; an empty batch changes nothing. float64 batches are counted in
    float64, all others in float32; the state is float32. Here every element is counted: PyTorch
    stops at 2^24 per bin, batch and thread, and bins float16 batches in float16.
    """

    bins: int = 2048

    def start(self) -> HistogramState:
        none = np.zeros(self.bins, np.float32)
        return HistogramState(none, np.float32(np.inf), np.float32(-np.inf))

    def step(self, state: HistogramState, batch: Batch) -> HistogramState:
        with np.errstate(all="ignore"):
            lo, hi, infinite = _extremes(batch)
            if lo > hi:  # nothing, or nothing finite
                return state
            first = state.unseen
            if not first:
                lo, hi = np.minimum(state.min, lo), np.maximum(state.max, hi)
            if not (np.isfinite(lo) and np.isfinite(hi)) or _unmovable(state, lo, hi):
                return _refused(state)
            new = np.zeros(self.bins, np.int64)
            for x in _pieces(batch, finite=infinite):
                new += histc(x, self.bins, lo, hi)
            if not first:
                new = _moved(state, lo, hi) + new.astype(np.float32)
            kept = np.float32(lo), np.float32(hi)
            return HistogramState(new.astype(np.float32), *kept, state.refused)


def _refused(state: HistogramState) -> HistogramState:
    """The state after such a batch; NaN as first data leaves NaN ends behind for good."""
    nan = np.float32(np.nan)
    ends = {"min": nan, "max": nan} if state.unseen else {}
    return replace(state, refused=state.refused + 1, **ends)


def _unmovable(state: HistogramState, lo: End, hi: End) -> bool:
    """Whether counts would have to move to ends that float32 does not hold."""
    held = np.isfinite(np.float32(lo)) and np.isfinite(np.float32(hi))
    return not state.unseen and not bool(held)


def _pieces(batch: Batch, *, finite: bool = False) -> Iterator[Array]:
    """Flat pieces in float32 or float64; with ``finite`` without the infinite elements."""
    for rows in chunks(batch):
        x = rows.reshape(-1)
        x = xp.astype(x, "float32") if xp.dtype_name(x) == "float16" else x
        yield x[xp.namespace(x).isfinite(x)] if finite else x


def _extremes(batch: Batch) -> tuple[End, End, bool]:
    """Smallest and largest finite element, NaN if one occurs, and whether some are infinite.

    +inf and -inf where there is no finite element.
    """
    lo, hi = _ends(_pieces(batch))
    infinite = bool(np.isinf(lo) | np.isinf(hi))
    return (*(_ends(_pieces(batch, finite=True)) if infinite else (lo, hi)), infinite)


def _ends(pieces: Iterator[Array]) -> tuple[End, End]:
    lo, hi = np.float32(np.inf), np.float32(-np.inf)
    for x in pieces:
        if xp.size(x):
            ns = xp.namespace(x)
            lo = np.minimum(lo, xp.host(ns.amin(x, axis=0, keepdims=True))[0])
            hi = np.maximum(hi, xp.host(ns.amax(x, axis=0, keepdims=True))[0])
    return lo, hi


def histc(x: Array, bins: int, lo: End, hi: End) -> np.ndarray:
    """torch.histc of elements that all lie in [lo, hi]: int64 (bins,).

    Bin = int((x - left) * bins / (right - left)) in the type of x, the last end counted in. A
    single value lies in a range of its own: 1, or one float, to either side. A width that
    overflows loses every count; where only the quotient is not finite, bin 0 gets the element.
    """
    kind = np.dtype(xp.dtype_name(x)).type
    left, right = _around(kind(lo)) if lo == hi else (kind(lo), kind(hi))
    width = right - left
    counts = np.zeros(bins + 1, np.int64)
    if not np.isfinite(width):
        return counts[:-1]
    odd = bool(width == 0 or np.isinf(width * kind(bins)))
    for start in range(0, xp.size(x), BLOCK):
        at = _bins(x[start : start + BLOCK], left, width, bins)
        if odd:
            at = xp.namespace(x).where(xp.namespace(x).isfinite(at), at, 0.0)
        counts += xp.host(xp.namespace(x).bincount(xp.astype(at, "int32"), minlength=bins + 1))
    counts[-2] += counts[-1]
    return counts[:-1]


def _bins(x: Array, left: End, width: Any, bins: int) -> Array:
    """Where elements lie, in bins from ``left``; the upper end at ``bins``."""
    if not isinstance(x, np.ndarray):
        return xp.div((x - float(left)) * float(bins), float(width))
    at = x - left
    at *= type(left)(bins)
    at /= width
    return at


def _around(value: End) -> tuple[End, End]:
    kind = type(value)
    left, right = value - kind(1), value + kind(1)
    left = np.nextafter(value, kind(-np.inf)) if left == value else left
    return left, np.nextafter(value, kind(np.inf)) if right == value else right


def _moved(state: HistogramState, lo: End, hi: End) -> np.ndarray:
    """The old counts in bins from ``lo`` to ``hi``, float32."""
    if lo == state.min and hi == state.max:
        return state.histogram
    bins = len(state.histogram)
    if state.min == state.max:
        one = np.atleast_1d(state.min)
        return histc(one, bins, lo, hi).astype(np.float32) * total(state.histogram[None])
    filled = np.flatnonzero(state.histogram)
    fine = np.repeat(state.histogram[filled] / np.float32(UPSAMPLE), UPSAMPLE)
    at = (filled[:, None] * UPSAMPLE + np.arange(UPSAMPLE)).reshape(-1)
    count = bins * UPSAMPLE
    half = np.float32(0.5) * ((state.max - state.min) / np.float32(count))
    middles = linspace(state.min, state.max, count + 1, at) + half
    edges = linspace(np.float32(lo), np.float32(hi), bins + 1)
    moved = np.zeros(bins, np.float32)
    np.add.at(moved, _binned(middles, edges), fine)  # in order, as torch.bincount adds weights
    return moved


def _binned(middles: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The bin of each middle, those outside in the first and the last.

    Where the width overflows, edges are infinite or NaN, and PyTorch's search ends at the last.
    """
    bins = edges.size - 1
    if not np.isfinite(edges).all():
        return np.full(middles.size, bins - 1)
    if (middles[1:] < middles[:-1]).any():  # a range of few floats
        return np.clip(np.searchsorted(edges, middles, side="right") - 1, 0, bins - 1)
    first = np.searchsorted(middles, edges[1:-1])
    return np.repeat(np.arange(bins), np.diff(first, prepend=0, append=middles.size))
