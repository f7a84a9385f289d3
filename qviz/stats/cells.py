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
        weight, lo, hi = (v.astype(np.longdouble) for v in (self.count, self.lo, self.hi))
        middle, width = (lo + hi) / 2, hi - lo
        square = middle * middle + width * width / 12
        return _before(weight), _before(weight * middle), _before(weight * square)

    def cell_of(self, k: np.ndarray) -> np.ndarray:
        """Index of the cell that holds the k-th smallest of each group, k from 0; (groups,)."""
        return (self.cumulative <= k[:, None]).sum(axis=1)

    def rank(self, k: np.ndarray) -> np.ndarray:
        """The k-th smallest value of each group, k from 0; (groups,), 0 where there is none.

        The j-th of c elements of a wide cell lies at its (j + 1/2)/c part.
        """
        out = np.zeros(self.groups)
        g = np.flatnonzero((0 <= k) & (k < self.total))
        at = (g, self.cell_of(k)[g])
        count, lo = self.count[at], self.lo[at]
        part = (k[g] - (self.cumulative[at] - count) + 0.5) / count
        out[g] = lo + part * (self.hi[at] - lo)
        return out

    def around(self, share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Ranks below and above the quantile ``share``, and the part of the way; (groups,)."""
        last = np.maximum(self.total - 1, 0)
        at = share * last
        lower = np.floor(at).astype(np.int64)
        return lower, np.minimum(lower + 1, last), at - lower

    def quantile(self, share: float) -> np.ndarray:
        """Value below which ``share`` of the elements lie, linear between order statistics.

        (groups,), float64; 0 for a group without elements.
        """
        lower, upper, part = self.around(share)
        return between(self.rank(lower), self.rank(upper), part)


def _before(parts: np.ndarray) -> np.ndarray:
    return np.pad(np.cumsum(parts, axis=1), ((0, 0), (1, 0)))


def between(low: np.ndarray, high: np.ndarray, part: np.ndarray) -> np.ndarray:
    """``low + part * (high - low)``, rounded as NumPy's quantile does it.

    Where ``high - low`` overflows the two ends are weighted instead.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        gap = high - low
        near = np.where(part < 0.5, low + gap * part, high - gap * (1 - part))
    return np.where(np.isfinite(gap), near, low * (1 - part) + high * part)
