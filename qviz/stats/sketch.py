"""The float sketch: counts over the leading bits of each element's bit pattern.

A cell of the float32 sketch is all floats that share their top 16 (or 20) bits: relative width
2^-7 (2^-11) whatever the range, so no range is needed in advance and counts merge by addition.
float16 is counted by its own 16 bits: every cell is one value. Groups of fewer than 65,536
elements keep their sorted values instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.stats.cells import Cells
from qviz.stats.patterns import complete, count, counted_as, ends, infinity
from qviz.xp import Array

SMALL = 65_536  # elements of a group below which its values themselves are kept


@dataclass(frozen=True, eq=False)
class SketchState:
    """Either sorted ``values`` (groups, n), NaN last, or ``counts`` (groups, 2^bits) by code.

    ``kind`` is the elements' float type, ``n`` their number per group, NaN and infinities
    included. ``exact`` says that no element has a bit below the leading ones. Counts hold finite
    elements only; those at the code of infinity are finite float64 beyond float32. ``tally`` is
    given in place of both where values were counted one by one.
    """

    kind: str
    bits: int
    n: int
    exact: bool
    values: np.ndarray | None = None
    counts: np.ndarray | None = None
    tally: Cells | None = None

    @cached_property
    def cells(self) -> Cells:
        """The distribution as cells; float64 beyond float32 is left out."""
        if self.tally is not None:
            return self.tally
        if self.values is not None:
            return _cells_of_values(self.values, self.kind)
        return _cells_of_counts(np.asarray(self.counts), self)

    @cached_property
    def ladder(self) -> Cells:
        """Cells with their true ends: each finite element lies in exactly one, rounded to float32.

        The cell at zero reaches to both sides, and float64 beyond float32 has a cell at each
        infinity. The same as ``cells`` where that is exact.
        """
        if self.counts is None or self.exact:
            return self.cells
        cells, half = self.cells, 1 << (self.bits - 1)
        kind = counted_as(self.kind)
        reach = ends(kind, self.bits, np.zeros(1, np.int64))[1]
        zero = (cells.lo == 0) & (cells.hi == 0)
        far = np.full((cells.groups, 1), np.inf)
        top = infinity(kind, self.bits)
        below, above = self.counts[:, [half + top]], self.counts[:, [top]]
        return Cells(
            np.hstack([-far, np.where(zero, -reach, cells.lo), far]),
            np.hstack([-far, np.where(zero, reach, cells.hi), far]),
            np.hstack([below, cells.count, above]),
            False,
            self.kind,
        )


@dataclass(frozen=True)
class Sketch(Statistic[SketchState]):
    """Distribution of the finite elements, to 16 or 20 leading bits.

    float64 is sketched as float32; it is exact only where float32 holds every element.
    """

    bits: int = 16

    def of(self, rows: Array, given: Seen) -> SketchState:
        if rows.shape[1] < SMALL:
            return _of_values(xp.host(rows), self.bits)
        return _count(rows, self.bits)

    def merge(self, a: SketchState, b: SketchState) -> SketchState:
        n = a.n + b.n
        if a.values is not None and b.values is not None and n < SMALL:
            both = np.sort(np.concatenate([a.values, b.values], axis=1), axis=1)
            return SketchState(a.kind, a.bits, n, True, values=both)
        a, b = (_counted(state, self.bits) for state in (a, b))
        counts = np.asarray(a.counts) + np.asarray(b.counts)
        return SketchState(a.kind, a.bits, n, a.exact and b.exact, counts=counts)


def _of_values(rows: np.ndarray, bits: int) -> SketchState:
    finite = np.isfinite(rows)
    values = np.sort(rows if finite.all() else np.where(finite, rows, np.nan), axis=1)
    kind = rows.dtype.name
    return SketchState(kind, _own_bits(kind, bits), rows.shape[1], True, values=values)


def _own_bits(kind: str, bits: int) -> int:
    return 16 if kind == "float16" else bits


def _counted(state: SketchState, bits: int) -> SketchState:
    return state if state.values is None else _count(state.values, bits)


def _count(rows: Array, bits: int) -> SketchState:
    kind = xp.dtype_name(rows)
    bits = _own_bits(kind, bits)
    with np.errstate(over="ignore"):
        counted = xp.astype(rows, counted_as(kind))
    counts = count(counted, bits)
    _leave_out(counts, rows, bits)
    return SketchState(kind, bits, rows.shape[1], complete(rows, counted, bits), counts=counts)


def _leave_out(counts: np.ndarray, rows: Array, bits: int) -> None:
    """Take NaN and infinities out of the counts; float64 that overflowed stays."""
    kind, half = xp.dtype_name(rows), 1 << (bits - 1)
    top = infinity(counted_as(kind), bits)
    for sign, first in ((np.inf, 0), (-np.inf, half)):
        counts[:, first + top + 1 : first + half] = 0
        at = counts[:, first + top]
        if at.any():
            at -= xp.host((rows == sign).sum(1)) if kind == "float64" else at


def _cells_of_values(values: np.ndarray, kind: str) -> Cells:
    x = values.astype(np.float64)
    real = np.isfinite(x)
    if not real.all():  # padding repeats the largest value, with count 0
        top = np.where(real, x, -np.inf).max(axis=1, keepdims=True)
        x = np.where(real, x, np.where(np.isfinite(top), top, 0.0))
    return Cells(x, x, real.astype(np.int64), True, kind)


def _cells_of_counts(counts: np.ndarray, state: SketchState) -> Cells:
    kind, half = counted_as(state.kind), 1 << (state.bits - 1)
    top = infinity(kind, state.bits)
    below = np.flatnonzero(counts[:, half + 1 : half + top].any(axis=0))[::-1] + 1
    above = np.flatnonzero(counts[:, 1:top].any(axis=0)) + 1
    zeros = counts[:, 0] + counts[:, half]  # the cells at +0 and -0 are taken as the value 0
    codes = np.concatenate([-below, np.zeros(int(zeros.any()), np.int64), above])
    count = counts[:, np.where(codes < 0, half - codes, codes)]
    count[:, codes == 0] = zeros[:, None]
    near, far = ends(kind, state.bits, np.abs(codes))
    far = near if state.exact else np.where(codes == 0, 0.0, far)
    lo, hi = np.where(codes < 0, -far, near), np.where(codes < 0, -near, far)
    lo, hi = (np.broadcast_to(v, count.shape) for v in (lo, hi))
    return Cells(lo, hi, count, state.exact, state.kind)
