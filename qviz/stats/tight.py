"""Tight cells: of each cell of float patterns that occurs, the least and the greatest value in it.

A cell of the sketch is as wide as its code says, whatever it holds: a hundred thousand elements at
6.0 are smeared up to 6.03. Here a cell reaches from value to value. One that holds a single value
is exact, and where values heap at a point the cell is as narrow as the heap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.stats.cells import Cells
from qviz.stats.gather import gather
from qviz.stats.sketch import SMALL, SketchState
from qviz.stats.stream import Tile
from qviz.xp import Array

BITS, MORE = 18, 6  # leading bits as float32 that make a cell, and more where it is split
HALF_BITS = 19  # they tell any two values of float16 apart
HEAVY = 1 / 512  # share of the elements from which a wide cell is split; of even values 1 / 1024
BLOCK = 2**14  # elements whose codes stay in the cache

_Cells = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class TightState:
    """Either ``values`` (elements,), NaN for all that is not finite, or cells.

    ``lows``, ``highs`` and ``counts`` (cells,) are those of the cells that occur, ascending;
    ``ranks`` are their places among all. ``kind`` is the elements' float type, ``n`` their
    number, NaN and infinities included.
    """

    kind: str
    n: int
    ranks: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    counts: np.ndarray
    values: np.ndarray | None = None

    @property
    def heavy(self) -> tuple[int, ...]:
        """Cells to be split, so that what is in them is not smeared: ``split`` of ``Tight``."""
        many = (self.counts > HEAVY * self.n) & (self.lows < self.highs)
        return tuple((self.ranks[many] >> MORE).tolist())

    def divided(self, split: tuple[int, ...], inside: _Cells) -> TightState:
        """The same with the cells named in ``split`` in pieces."""
        whole = ~np.isin(self.ranks >> MORE, split)
        outside = (self.ranks[whole], self.lows[whole], self.highs[whole], self.counts[whole])
        return TightState(self.kind, self.n, *_ordered(outside, inside))

    @property
    def sketch(self) -> SketchState:
        """The same as the state of ``Sketch(16)``, which is then as fine as this."""
        if self.values is not None:
            return SketchState(self.kind, 16, self.n, True, values=np.sort(self.values)[None])
        lo, hi = (ends.astype(np.float64)[None] for ends in (self.lows, self.highs))
        cells = Cells(lo, hi, self.counts[None], bool((lo == hi).all()), self.kind)
        return SketchState(self.kind, 16, self.n, cells.exact, tally=cells)


@dataclass(frozen=True)
class Tight(Statistic[TightState]):
    """The finite elements of a single group, in cells no wider than what is in them.

    Cells are those of the 18 leading bits as float32, of 24 in the cells named in ``split``; of
    float16 each value is one.
    """

    split: tuple[int, ...] = ()
    inside: bool = False  # nothing but what is in those

    def of(self, rows: Array, given: Seen) -> TightState:
        x = xp.host(rows).reshape(-1)
        if x.size >= SMALL or self.inside:
            return self._counted(x)
        finite = np.isfinite(x)
        return _valued(x.copy() if finite.all() else np.where(finite, x, x.dtype.type(np.nan)))

    def merge(self, a: TightState, b: TightState) -> TightState:
        n = a.n + b.n
        if a.values is not None and b.values is not None and n < SMALL:
            return _valued(np.concatenate([a.values, b.values]))
        a, b = (s if s.values is None else self._counted(s.values) for s in (a, b))
        ranks, lows, highs, counts = _ordered(_cells(a), _cells(b))
        again = np.concatenate([[False], ranks[1:] == ranks[:-1]])
        twice = np.flatnonzero(again) - 1
        lows[twice] = np.minimum(lows[twice], lows[twice + 1])
        highs[twice] = np.maximum(highs[twice], highs[twice + 1])
        counts[twice] += counts[twice + 1]
        return TightState(a.kind, n, *(part[~again] for part in (ranks, lows, highs, counts)))

    def _counted(self, x: np.ndarray) -> TightState:
        finite = np.isfinite(x)
        kept = x if finite.all() else x[finite]
        if self.inside:
            return TightState(x.dtype.name, x.size, *self._inside(kept))
        bits = HALF_BITS if x.dtype == np.float16 else BITS
        ranks, lows, highs, counts = _looked_up(kept, bits)
        found = TightState(x.dtype.name, x.size, ranks << MORE, lows, highs, counts)
        return found if not self.split else found.divided(self.split, self._inside(kept))

    def _inside(self, x: np.ndarray) -> _Cells:
        """What is in the cells to be split: few elements, so they are sorted."""
        table = np.zeros(1 << BITS, bool)
        table[_flipped(np.array(self.split), BITS)] = True
        parts = [x[:0]]
        for start in range(0, x.size, BLOCK):
            part = x[start : start + BLOCK] + x.dtype.type(0)  # -0 becomes 0
            parts.append(part[table[_codes(part, BITS)]])
        values = np.sort(np.concatenate(parts))
        codes = _codes(values, BITS + MORE)
        first = np.flatnonzero(np.concatenate([codes[:1] == codes[:1], codes[1:] != codes[:-1]]))
        counts = np.diff(first, append=values.size)
        ranks = _flipped(codes[first].astype(np.int64), BITS + MORE)
        return ranks, values[first], values[first + counts - 1], counts


def divided(
    tile: Tile, state: TightState, before: TightState | None = None
) -> tuple[Tight, TightState]:
    """Cells of a tile with the heavy ones split, and the recipe that gives them.

    ``state`` is that of ``Tight()`` after ``before``, which holds values, and the tile.
    """
    tight, within = Tight(state.heavy), Tight(state.heavy, True)
    if tight.split:
        found = gather(tile, (within,))[within]
        found = found if before is None else within.merge(before, found)
        state = state.divided(tight.split, _cells(found))
    return tight, state


def _valued(values: np.ndarray) -> TightState:
    none = np.zeros(0, np.int64)
    return TightState(values.dtype.name, values.size, none, none, none, none, values)


def _cells(state: TightState) -> _Cells:
    return state.ranks, state.lows, state.highs, state.counts


def _ordered(a: _Cells, b: _Cells) -> _Cells:
    ranks = np.concatenate([a[0], b[0]])
    order = np.argsort(ranks, kind="stable")  # two ascending runs: little to do
    lows, highs, counts = (np.concatenate(v)[order] for v in zip(a[1:], b[1:], strict=True))
    return ranks[order], lows, highs, counts


def _looked_up(x: np.ndarray, bits: int) -> _Cells:
    """Cells of the leading bits, by a table of all codes."""
    kind = np.promote_types(x.dtype, np.float32)  # float16 takes four times as long
    lows, highs = (np.full(1 << bits, end, kind) for end in (np.inf, -np.inf))
    counts = np.zeros(1 << bits, np.int64)
    for start in range(0, x.size, BLOCK):
        part = x[start : start + BLOCK].astype(kind, copy=False) + kind.type(0)  # -0 becomes 0
        codes = _codes(part, bits).astype(np.intp)
        np.minimum.at(lows, codes, part)
        np.maximum.at(highs, codes, part)
        np.add.at(counts, codes, 1)
    at = np.flatnonzero(counts > 0)
    negative = np.searchsorted(at, 1 << (bits - 1))
    at = np.concatenate([at[negative:][::-1], at[:negative]])
    return _flipped(at, bits), lows[at], highs[at], counts[at]


def _codes(x: np.ndarray, bits: int) -> np.ndarray:
    """Leading bits of the patterns as float32."""
    with np.errstate(over="ignore"):
        return x.astype(np.float32, copy=False).view(np.uint32) >> np.uint32(32 - bits)


def _flipped(codes: np.ndarray, bits: int) -> np.ndarray:
    """Codes as ranks that ascend with the values, or back: negatives are below 0."""
    half = 1 << (bits - 1)
    return np.where((codes < 0) | (codes >= half), half - 1 - codes, codes)
