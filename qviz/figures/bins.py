"""Linear bins for histograms, from cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.errors import QvizError
from qviz.stats.cells import Cells

MOST_BINS = 512
MIDDLE = 0.999  # share of the elements that the body view holds
LARGEST = float(np.finfo(np.float64).max) / 4  # of a view's ends: their distance stays finite


@dataclass(frozen=True, eq=False)
class Bins:
    """Counts per bin of equal width: ``edges`` (bins + 1,), ``counts`` (bins,), float64.

    ``unit`` is the elements' unit, empty where nobody said.
    """

    edges: np.ndarray
    counts: np.ndarray
    unit: str = ""

    @property
    def view(self) -> tuple[float, float]:
        """First and last edge."""
        return float(self.edges[0]), float(self.edges[-1])


def linear_bins(
    cells: Cells, lo: float, hi: float, count: int = MOST_BINS, group: int | None = None
) -> Bins:
    """Elements of one group, or of all together, in ``count`` bins over [lo, hi].

    A bin holds its lower edge, the last one both. The elements of a wide cell are spread evenly,
    the j-th of c at its (j + 1/2)/c part, and stay whole: counts are whole numbers, and their
    sum is the number of elements inside.

    Raises
    ------
    QvizError
        A view without width, or more than 512 bins.
    """
    if not (np.isfinite(lo) and np.isfinite(hi) and lo < hi and 1 <= count <= MOST_BINS):
        raise QvizError(
            f"{count} bins over [{lo:g}, {hi:g}] cannot be drawn.",
            f"A picture has 1 to {MOST_BINS} bins over a finite width.",
            "Choose other ends.",
        )
    one = one_group(cells, group)
    edges = lo + (hi / count - lo / count) * np.arange(count + 1)
    edges[-1] = hi
    below = _below(one, edges, side="left")
    below[-1] = _below(one, edges[-1:], side="right")[0]
    return Bins(edges, np.diff(below).astype(np.float64))


def one_group(cells: Cells, group: int | None = None) -> Cells:
    """One group's cells, or those of all groups as one, ascending."""
    if group is not None or cells.groups == 1:
        at = slice(group or 0, (group or 0) + 1)
        return Cells(cells.lo[at], cells.hi[at], cells.count[at], cells.exact, cells.dtype)
    if (cells.lo == cells.lo[:1]).all() and (cells.hi == cells.hi[:1]).all():
        added = cells.count.sum(axis=0, keepdims=True)
        return Cells(cells.lo[:1], cells.hi[:1], added, cells.exact, cells.dtype)
    order = np.argsort(cells.lo, axis=None, kind="stable")
    lo, hi, number = (part.ravel()[order][None] for part in (cells.lo, cells.hi, cells.count))
    return Cells(lo, hi, number, cells.exact, cells.dtype)


def _below(cells: Cells, edges: np.ndarray, side: str) -> np.ndarray:
    """Number of elements below each edge (``left``), or not above it (``right``)."""
    lo, hi, number = cells.lo[0], cells.hi[0], cells.count[0]
    done = np.searchsorted(hi, edges, side="left" if side == "left" else "right")
    before = np.concatenate([[0], cells.cumulative[0]])[done]
    at = np.minimum(done, max(lo.size - 1, 0))
    if lo.size == 0:
        return before
    width = hi[at] - lo[at]
    cut = (done < lo.size) & (lo[at] < edges) & (width > 0)
    part = np.divide(edges - lo[at], width, out=np.zeros(edges.shape), where=cut)
    inside = np.clip(np.ceil(part * number[at] - 0.5), 0, number[at])
    return before + np.where(cut, inside, 0).astype(np.int64)


def full(cells: Cells, group: int | None = None) -> tuple[float, float]:
    """View of all elements, with a margin of 2 % on both sides."""
    one = one_group(cells, group)
    used = np.flatnonzero(one.count[0])
    if used.size == 0:
        return -1.0, 1.0
    return _with_air(float(one.lo[0, used[0]]), float(one.hi[0, used[-1]]), 0.02)


def body(cells: Cells, group: int | None = None) -> tuple[float, float]:
    """View of the middle 99.9 %, with a margin of 10 %; never wider than ``full``."""
    one = one_group(cells, group)
    if not one.total[0]:
        return full(one)
    lo, hi = (float(one.quantile(s)[0]) for s in ((1 - MIDDLE) / 2, (1 + MIDDLE) / 2))
    if lo == hi:
        return full(one)
    lo, hi = _with_air(lo, hi, 0.10)
    outer = full(one)
    return max(lo, outer[0]), min(hi, outer[1])


def _with_air(lo: float, hi: float, share: float) -> tuple[float, float]:
    lo, hi = max(lo, -LARGEST), min(hi, LARGEST)
    air = (hi - lo) * share
    if hi - lo < 8 * MOST_BINS * np.spacing(max(abs(lo), abs(hi))):  # bins would share edges
        air = max(abs(lo), abs(hi)) / 2 or 1.0
    return lo - air, hi + air
