"""Equal bins between the extremes of the finite elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.stats.base import Seen, Statistic
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.xp import Array

MOST_BINS = 2048
MOST_COUNTS = 2**24  # of all groups together, 128 MiB
BLOCK = 2**16  # elements binned at a time: what is computed of them stays in the cache
HUGE, SHRINK = 2.0**1000, 2.0**-32  # above this, widths times bins would overflow float64


@dataclass(frozen=True, eq=False)
class HistogramState:
    """``counts`` (groups, bins), int64, of the finite elements; ``edges`` (groups, bins + 1)."""

    counts: np.ndarray
    edges: np.ndarray


@dataclass(frozen=True)
class LinearHistogram(Statistic[HistogramState]):
    """Counts in equal bins over [lo, hi]: bin = floor((x - lo) * bins / (hi - lo)), in float64.

    The last bin is closed. Where hi - lo is less than ``bins`` units in the last place (a
    constant, for one), the range is widened to that about its middle. Groups without a finite
    element have the bins of a constant 0, all empty.

    Raises
    ------
    QvizError
        Bins outside 1 to 2048; more than 2^24 counts in all groups together.
    """

    bins: int = MOST_BINS

    def __post_init__(self) -> None:
        if self.bins not in range(1, MOST_BINS + 1):
            raise QvizError(f"{self.bins} bins are not offered.", f"Choose 1 to {MOST_BINS}.")

    @property
    def needs(self) -> tuple[MinMax]:
        return (MinMax(),)

    def of(self, rows: Array, given: Seen) -> HistogramState:
        groups, spread = rows.shape[0], given[MinMax()]
        if groups * self.bins > MOST_COUNTS:
            raise QvizError(
                f"Histograms of {groups:,} groups with {self.bins} bins each are too large.",
                f"At most {MOST_COUNTS:,} counts are kept.",
                "Use fewer bins, or larger groups.",
            )
        frame = _Frame.of(spread, self.bins)
        counts = np.zeros((groups, self.bins + 1), np.int64)  # the last column: not finite
        finite = bool((spread.finite == spread.n).all())
        for at, block in _blocks(rows):
            _count(counts[at], frame.part(at), block, finite)
        return HistogramState(counts[:, :-1], frame.edges)

    def merge(self, a: HistogramState, b: HistogramState) -> HistogramState:
        return HistogramState(a.counts + b.counts, a.edges)


@dataclass(frozen=True, eq=False)
class _Frame:
    """Ends of the bins, (groups,), as ``x * scale``; the scale is 1 but for huge float64."""

    lo: np.ndarray
    hi: np.ndarray
    scale: np.ndarray
    bins: int

    @staticmethod
    def of(spread: MinMaxState, bins: int) -> _Frame:
        there = spread.finite > 0
        lo, hi = (np.where(there, end, 0.0) for end in (spread.lo, spread.hi))
        scale = np.where(np.maximum(-lo, hi) > HUGE, SHRINK, 1.0)
        lo, hi, top = lo * scale, hi * scale, np.finfo(np.float64).max * scale
        least = np.spacing(np.maximum(np.abs(lo), np.abs(hi))) * max(bins, 2)
        narrow, half = hi - lo < least, least / 2
        middle = np.clip(lo / 2 + hi / 2, half - top, top - half)
        lo, hi = np.where(narrow, middle - half, lo), np.where(narrow, middle + half, hi)
        return _Frame(lo, hi, scale, bins)

    @property
    def edges(self) -> np.ndarray:
        """(groups, bins + 1)."""
        steps = np.arange(self.bins + 1) / self.bins
        edges = self.lo[:, None] + (self.hi - self.lo)[:, None] * steps
        edges[:, -1] = self.hi
        scale = self.scale[:, None]
        top = np.finfo(np.float64).max * scale
        return np.clip(edges, -top, top) / scale

    def part(self, at: slice) -> _Frame:
        """Some groups."""
        return _Frame(self.lo[at], self.hi[at], self.scale[at], self.bins)


def _blocks(rows: Array) -> Iterator[tuple[slice, Array]]:
    groups, n = rows.shape
    tall, wide = max(1, BLOCK // max(n, 1)), min(max(n, 1), BLOCK)
    for g in range(0, groups, tall):
        for start in range(0, n, wide):
            yield slice(g, g + tall), rows[g : g + tall, start : start + wide]


def _count(counts: np.ndarray, frame: _Frame, block: Array, finite: bool) -> None:
    """Add one block to ``counts`` (groups, bins + 1)."""
    ns, x = xp.namespace(block), xp.astype(block, "float64")
    lo, width = (xp.like(v, x, "float64") for v in (frame.lo, frame.hi - frame.lo))
    if (frame.scale != 1).any():
        x = x * xp.like(frame.scale, x, "float64")
    bins = xp.clip((x - lo) * frame.bins / width, 0, frame.bins - 1)
    if not finite:
        bins = ns.where(ns.isfinite(x), bins, float(frame.bins))
    table = counts.reshape(-1)
    at = xp.astype(bins, "int64") + xp.like(np.arange(len(counts)) * counts.shape[1], x, "int64")
    if ns is np:
        np.add.at(table, at.reshape(-1), 1)
    else:
        table += xp.host(ns.bincount(at.reshape(-1), minlength=table.size))
