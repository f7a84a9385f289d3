"""A sample of values for rules that cannot do with cells.

What is drawn depends on the elements alone, never on their order or on how they were cut into
chunks. The sketch is read first; the ranks of ``limit`` elements at even distances say how many
each cell gives. In the second read a cell keeps that many of its distinct values, those with
the least hash, each with its count. So repeated values, such as the zeros after a ReLU, keep
their share; and the least hashes of two parts hold those of the whole, so states merge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.stats.base import Seen, Statistic
from qviz.stats.cells import Cells
from qviz.stats.multiset import Multiset
from qviz.stats.sketch import Sketch
from qviz.xp import Array

GOLDEN = 0x9E3779B97F4A7C15  # splitmix64: its increment, shifts and factors
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


@dataclass(frozen=True, eq=False)
class SampleState:
    """Per group the values ``kept``, and how many elements each cell stands for in the sample.

    ``kept`` is empty where the cells are single values and say it all.
    """

    cells: Cells
    quota: np.ndarray
    kept: tuple[Multiset, ...]

    @property
    def exact(self) -> np.ndarray:
        """Whether a group was small enough to be kept whole, (groups,)."""
        return (self.quota == self.cells.count).all(axis=1)

    @property
    def values(self) -> np.ndarray:
        """Values (groups, most), ascending, float64; 0 where a group has fewer."""
        return self._columns[0]

    @property
    def weights(self) -> np.ndarray:
        """Elements that each value stands for, (groups, most), float64; 0 where there is none.

        They add up to the number of finite elements.
        """
        return self._columns[1]

    @property
    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        each = self.cells.total / np.maximum(self.quota.sum(axis=1), 1)
        weight = self.quota * each[:, None]
        if not self.kept:
            used = self.quota.any(axis=0)
            return np.where(self.quota > 0, self.cells.lo, 0.0)[:, used], weight[:, used]
        out = np.zeros((2, len(self.kept), max(len(part.values) for part in self.kept)))
        for group, part in enumerate(self.kept):
            cell = _cell_of(part.values, self.cells, group)
            per_copy = weight[group] / np.maximum(
                np.bincount(cell, part.counts, weight.shape[1]), 1
            )
            out[:, group, : len(cell)] = part.values, part.counts * per_copy[cell]
        return out[0], out[1]


@dataclass(frozen=True)
class Sample(Statistic[SampleState]):
    """About ``limit`` elements of each group, spread evenly over its ranks; all if it has fewer.

    Finite elements only. Values come from the elements themselves; elements of cells so rare
    that no chosen rank falls into them are not represented. The state holds at most ``limit``
    distinct values a group. Another ``seed`` draws others.

    Raises
    ------
    QvizError
        A limit below 1.
    """

    limit: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise QvizError(f"A sample of {self.limit} elements is empty.", "Use 1 or more.")

    @property
    def needs(self) -> tuple[Sketch]:
        return (Sketch(16),)

    def of(self, rows: Array, given: Seen) -> SampleState:
        cells = given[Sketch(16)].ladder
        whole = () if cells.exact else tuple(_finite(xp.host(row)) for row in rows)
        return self._trimmed(SampleState(cells, _quota(cells, self.limit), whole))

    def merge(self, a: SampleState, b: SampleState) -> SampleState:
        both = tuple(x + y for x, y in zip(a.kept, b.kept, strict=True))
        return self._trimmed(SampleState(a.cells, a.quota, both))

    def _trimmed(self, state: SampleState) -> SampleState:
        kept = tuple(self._least(state, g) for g in range(len(state.kept)))
        return SampleState(state.cells, state.quota, kept)

    def _least(self, state: SampleState, group: int) -> Multiset:
        """Of each cell as many distinct values as it may give: those with the least hash."""
        values, quota = state.kept[group].values, state.quota[group]
        cell = _cell_of(values, state.cells, group)
        hashes = _hash(values, self.seed)
        few = np.flatnonzero(_surely(hashes, cell, quota))
        few = few[np.lexsort((hashes[few], cell[few]))]
        place = np.arange(len(few)) - np.searchsorted(cell[few], cell[few])
        keep = np.sort(few[place < quota[cell[few]]])
        return Multiset(values[keep], state.kept[group].counts[keep])


def _finite(row: np.ndarray) -> Multiset:
    finite = np.isfinite(row)
    return Multiset.of(row if finite.all() else row[finite])


def _quota(cells: Cells, limit: int) -> np.ndarray:
    """How many of ``limit`` ranks at even distances fall into each cell, (groups, cells).

    The i-th rank is (i + 1/2) * total / limit; a group of up to ``limit`` elements gives all.
    """
    total = np.maximum(cells.total, 1)[:, None]
    before = np.ceil(cells.cumulative * limit / total - 0.5).astype(np.int64)
    return np.where(total <= limit, cells.count, np.diff(before, axis=1, prepend=0))


def _surely(hashes: np.ndarray, cell: np.ndarray, quota: np.ndarray) -> np.ndarray:
    """Mask of a few values among which are, for sure, the least hashes of each cell."""
    there = np.bincount(cell, minlength=len(quota))
    share = (quota + 6 * np.sqrt(quota) + 6) / np.maximum(there, 1) * (quota > 0)
    low = hashes < share[cell] * 2.0**64
    short = np.bincount(cell[low], minlength=len(quota)) < np.minimum(quota, there)
    return low | short[cell]


def _cell_of(values: np.ndarray, cells: Cells, group: int) -> np.ndarray:
    """Index of the cell of each value; values ascend."""
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    upto = np.searchsorted(rounded, cells.hi[group], side="right")
    return np.repeat(np.arange(len(upto)), np.diff(upto, prepend=0))


def _hash(values: np.ndarray, seed: int) -> np.ndarray:
    """64 mixed bits of each float64 value: splitmix64's steps, one to one, so without ties."""
    bits = values.view(np.uint64) ^ np.uint64(seed * GOLDEN % 2**64)
    for shift, factor in MIX:
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits
