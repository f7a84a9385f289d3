"""Cells: intervals of values with counts, all that observers and metrics read of a distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Cells:
    """Ascending intervals [lo, hi] with counts; each array (groups, cells).

    Inside a cell values are taken as evenly spread; a cell with lo = hi is one value. Padding
    cells have count 0. ``exact`` says that every cell is one value; ``dtype`` is the float type
    the elements are quantized in.
    """

    lo: np.ndarray
    hi: np.ndarray
    count: np.ndarray
    exact: bool
    dtype: str = "float32"

    @property
    def groups(self) -> int:
        """Number of groups."""
        return self.lo.shape[0]

    @cached_property
    def cumulative(self) -> np.ndarray:
        """Counts up to and with each cell, (groups, cells), int64."""
        return np.cumsum(self.count, axis=1)

    @property
    def total(self) -> np.ndarray:
        """Number of elements, (groups,)."""
        if self.lo.shape[1] == 0:
            return np.zeros(self.groups, np.int64)
        return self.cumulative[:, -1]

    @cached_property
    def prefix(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sums of 1, x and x^2 before each cell and after the last, (groups, cells + 1).

        Extended precision: metrics take small differences of these large sums.
        """
        middle, width = self.lo + self.hi, self.hi - self.lo
        weight = self.count.astype(np.longdouble)
        middle = middle.astype(np.longdouble) / 2
        parts = (weight, weight * middle, weight * (middle * middle + width * width / 12))
        sums = (np.cumsum(part, axis=1) for part in parts)
        return tuple(np.pad(part, ((0, 0), (1, 0))) for part in sums)

    def rank(self, k: np.ndarray) -> np.ndarray:
        """The k-th smallest value of each group, k from 0; (groups,).

        The j-th of c elements of a wide cell lies at its (j + 1/2)/c part.
        """
        out = np.zeros(self.groups)
        for g in range(self.groups):
            cell = int(np.searchsorted(self.cumulative[g], k[g], side="right"))
            count = self.count[g, cell]
            before = self.cumulative[g, cell] - count
            part = (k[g] - before + 0.5) / count
            out[g] = self.lo[g, cell] + part * (self.hi[g, cell] - self.lo[g, cell])
        return out

    def quantile(self, share: float) -> np.ndarray:
        """Value below which ``share`` of the elements lie, linear between order statistics.

        (groups,), float64; 0 for a group without elements.
        """
        last = np.maximum(self.total - 1, 0)
        at = share * last
        lower = np.floor(at).astype(np.int64)
        full = self.total > 0
        if not full.all():
            return _where_full(self, full, share)
        low, high = self.rank(lower), self.rank(np.minimum(lower + 1, last))
        return low + (at - lower) * (high - low)


def _where_full(cells: Cells, full: np.ndarray, share: float) -> np.ndarray:
    out = np.zeros(cells.groups)
    if full.any():
        part = Cells(cells.lo[full], cells.hi[full], cells.count[full], cells.exact)
        out[full] = part.quantile(share)
    return out
