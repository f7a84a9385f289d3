"""Exact quantiles of a group of any size, in one read more than the sketch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.stats.base import Seen, Statistic
from qviz.stats.cells import Cells, between
from qviz.stats.multiset import Multiset
from qviz.stats.sketch import Sketch
from qviz.xp import Array

Place = tuple[int, int]  # group, cell


@dataclass(frozen=True, eq=False)
class QuantilesState:
    """What is needed to name the elements of some ranks.

    ``kept`` are the elements of those cells that hold a wanted rank and more than one value.
    """

    shares: tuple[float, ...]
    cells: Cells
    kept: Mapping[Place, Multiset]

    @property
    def values(self) -> np.ndarray:
        """Quantiles (groups, shares), float64; 0 for a group without finite elements."""
        columns = []
        for share in self.shares:
            lower, upper, part = self.cells.around(share)
            columns.append(between(self._rank(lower), self._rank(upper), part))
        return np.stack(columns, axis=1)

    def _rank(self, k: np.ndarray) -> np.ndarray:
        if not self.kept:
            return self.cells.rank(k)
        out = np.zeros(self.cells.groups)
        cell = self.cells.cell_of(k)
        for place in zip(range(len(k)), cell.tolist(), strict=True):
            if place in self.kept:
                before = self.cells.cumulative[place] - self.cells.count[place]
                out[place[0]] = self.kept[place].rank(int(k[place[0]] - before))
        return out


@dataclass(frozen=True)
class ExactQuantiles(Statistic[QuantilesState]):
    """Quantiles of the finite elements, linear between order statistics, as numpy.quantile.

    The second read keeps only the elements of the sketch's cells that hold a wanted rank, each
    distinct value once with its count: at most 65,536 numbers a cell for float32, whatever the
    size of the group; for float64 as many as there are distinct values in the cell.

    Raises
    ------
    QvizError
        No share, or one outside 0 to 1.
    """

    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.shares or not all(0 <= share <= 1 for share in self.shares):
            given = ", ".join(map(str, self.shares)) or "none"
            raise QvizError(f"Quantiles for the shares: {given}.", "Shares lie between 0 and 1.")

    @property
    def needs(self) -> tuple[Sketch]:
        return (Sketch(16),)

    def of(self, rows: Array, given: Seen) -> QuantilesState:
        cells = given[Sketch(16)].ladder
        places = set() if cells.exact else _wanted(cells, self.shares)
        kept = {place: _inside(rows[place[0]], cells, place) for place in sorted(places)}
        return QuantilesState(self.shares, cells, kept)

    def merge(self, a: QuantilesState, b: QuantilesState) -> QuantilesState:
        return QuantilesState(a.shares, a.cells, {p: a.kept[p] + b.kept[p] for p in a.kept})


def _wanted(cells: Cells, shares: tuple[float, ...]) -> set[Place]:
    found: set[Place] = set()
    for share in shares:
        for k in cells.around(share)[:2]:
            found |= set(enumerate(cells.cell_of(k).tolist()))
    full = cells.total > 0
    return {place for place in found if full[place[0]]}


def _inside(row: Array, cells: Cells, place: Place) -> Multiset:
    """Finite elements of a row that lie in a cell, once rounded to float32."""
    lo, hi = float(cells.lo[place]), float(cells.hi[place])
    with np.errstate(over="ignore"):
        rounded = xp.astype(row, "float32")
    there = (rounded >= lo) & (rounded <= hi)
    if not np.isfinite(lo):  # float64 beyond float32; true infinities are not elements
        there &= xp.namespace(row).isfinite(row)
    return Multiset.of(xp.host(row[there]))
