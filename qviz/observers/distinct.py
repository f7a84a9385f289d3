"""The distinct values of a tensor that has few: pixels, stored codes, one-hot rows, masks.

A cell of the sketch smears each of them over its width. A grid may hit them all; only a search
that sees the values themselves finds that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.stats.cells import Cells
from qviz.xp import Array

HEADS = (2**14, 2**17)  # elements looked at before all are


@dataclass(frozen=True, eq=False)
class DistinctState:
    """``values``, ascending, and ``counts`` of the finite elements; both None where too many."""

    kind: str
    values: np.ndarray | None = None
    counts: np.ndarray | None = None

    @property
    def cells(self) -> Cells | None:
        """One group of exact cells, or None."""
        if self.values is None or self.counts is None:
            return None
        x = self.values.astype(np.float64)[None]
        return Cells(x, x, self.counts[None], True, self.kind)


@dataclass(frozen=True)
class Distinct(Statistic[DistinctState]):
    """Values and counts, as long as they are at most ``limit``; of a single group only.

    Costs next to nothing where there are more: a look at the first elements of each chunk.
    """

    limit: int = 4096

    def of(self, rows: Array, given: Seen) -> DistinctState:
        kind = xp.dtype_name(rows)
        if rows.shape[0] != 1:
            return DistinctState(kind)
        values = counts = np.zeros(0)
        for width in (*(w for w in HEADS if w < rows.shape[1]), rows.shape[1]):
            values, counts = _unique(rows[0, :width])
            if len(values) > self.limit:
                return DistinctState(kind)
        return DistinctState(kind, values, counts)

    def merge(self, a: DistinctState, b: DistinctState) -> DistinctState:
        if a.values is None or b.values is None or a.counts is None or b.counts is None:
            return DistinctState(a.kind)
        both = np.concatenate([a.values, b.values])
        values, where = np.unique(both, return_inverse=True)
        if len(values) > self.limit:
            return DistinctState(a.kind)
        counts = np.zeros(len(values), np.int64)
        np.add.at(counts, where, np.concatenate([a.counts, b.counts]))
        return DistinctState(a.kind, values, counts)


def _unique(row: Array) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(row, np.ndarray):
        return _of_finite(*map(xp.host, xp.namespace(row).unique(row, return_counts=True)))
    row = np.sort(row)  # far faster than np.unique
    first = np.flatnonzero(np.concatenate([row[:1] == row[:1], row[1:] != row[:-1]]))
    return _of_finite(row[first], np.diff(first, append=row.size))


def _of_finite(values: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    keep = np.isfinite(values)
    return values[keep] + values.dtype.type(0), counts[keep].astype(np.int64)  # -0 becomes 0
