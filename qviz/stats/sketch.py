"""The float sketch: counts over the leading bits of each element's bit pattern.

A cell of the float32 sketch is all floats that share their top 16 (or 20) bits: relative width
2^-7 (2^-11) whatever the range, so no range is needed in advance and counts merge by addition.
float16 is counted by its own 16 bits: every cell is one value. Groups of fewer than 65,536
elements keep their sorted values instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.stats.cells import Cells
from qviz.xp import Array

SMALL = 65_536  # elements of a group below which its values themselves are kept
PATTERN = {"float16": ("uint16", 16), "float32": ("uint32", 32)}


@dataclass(frozen=True, eq=False)
class SketchState:
    """Either sorted ``values`` (groups, n), NaN last, or ``counts`` (groups, 2^bits) by pattern.

    ``kind`` is the float type that was counted; ``exact`` says that no dropped bit was set.
    """

    kind: str
    bits: int
    n: int
    exact: bool
    values: np.ndarray | None = None
    counts: np.ndarray | None = None

    @cached_property
    def cells(self) -> Cells:
        """The distribution as cells."""
        if self.values is not None:
            return _cells_of_values(self.values, self.exact, self.kind)
        return _cells_of_counts(self)


@dataclass(frozen=True)
class Sketch(Statistic[SketchState]):
    """Distribution of the finite elements, to 16 or 20 leading bits.

    float64 is sketched as float32 and is then not exact; what overflows float32 is left out.
    """

    bits: int = 16

    def of(self, rows: Array, given: Seen) -> SketchState:
        if rows.shape[1] < SMALL:
            return _of_values(xp.host(rows), self.bits)
        return _count(rows, self.bits)

    def merge(self, a: SketchState, b: SketchState) -> SketchState:
        exact, n = a.exact and b.exact, a.n + b.n
        if a.values is not None and b.values is not None and n < SMALL:
            both = np.sort(np.concatenate([a.values, b.values], axis=1), axis=1)
            return SketchState(a.kind, a.bits, n, exact, values=both)
        a, b = (_counted(state, self.bits) for state in (a, b))
        return SketchState(a.kind, a.bits, n, a.exact and b.exact, counts=a.counts + b.counts)


def _of_values(rows: np.ndarray, bits: int) -> SketchState:
    values = np.where(np.isfinite(rows), rows, np.nan)
    return SketchState(rows.dtype.name, bits, rows.shape[1], True, values=np.sort(values, axis=1))


def _counted(state: SketchState, bits: int) -> SketchState:
    return state if state.values is None else _count(state.values, bits)


def _count(rows: Array, bits: int) -> SketchState:
    name = xp.dtype_name(rows)
    exact = name != "float64" or _fits_float32(rows)
    rows = xp.astype(rows, "float32") if name == "float64" else rows
    kind = xp.dtype_name(rows)
    bits = 16 if kind == "float16" else bits
    groups, n = rows.shape
    counts = np.stack([_count_row(rows[g], kind, bits) for g in range(groups)])
    return SketchState(kind, bits, n, exact and not _dropped(rows, kind, bits), counts=counts)


def _fits_float32(rows: Array) -> bool:
    with np.errstate(over="ignore"):
        return bool((xp.astype(xp.astype(rows, "float32"), "float64") == rows).all())


def _count_row(row: Array, kind: str, bits: int) -> np.ndarray:
    if isinstance(row, np.ndarray):
        return np.bincount(_leading(row, kind, bits), minlength=1 << bits)
    signed = row.view(getattr(xp.namespace(row), "int16" if kind == "float16" else "int32"))
    width = PATTERN[kind][1]
    codes = (signed.long() >> (width - bits)) & ((1 << bits) - 1)
    return xp.host(xp.namespace(row).bincount(codes, minlength=1 << bits))


def _leading(row: np.ndarray, kind: str, bits: int) -> np.ndarray:
    """Leading bits of each element; for 16 of 32 a strided view, which computes nothing."""
    pattern, width = PATTERN[kind]
    row = np.ascontiguousarray(row)
    if bits == 16:
        step = width // 16
        return row.view(np.uint16)[step - 1 :: step]  # little endian: the last half word leads
    return row.view(pattern) >> (width - bits)


def _dropped(rows: Array, kind: str, bits: int) -> bool:
    """Whether any element has a bit set below the leading ones (then cells are intervals)."""
    if kind == "float16":
        return False
    mask = (1 << (32 - bits)) - 1
    integers = np.int32 if isinstance(rows, np.ndarray) else xp.namespace(rows).int32
    few = (rows[:, :1024].view(integers) & mask) != 0
    return bool(few.any()) or bool(((rows.view(integers) & mask) != 0).any())


def _cells_of_values(values: np.ndarray, exact: bool, kind: str) -> Cells:
    x = values.astype(np.float64)
    real = np.isfinite(x)
    if not real.all():  # padding repeats the largest value, with count 0
        top = np.where(real, x, -np.inf).max(axis=1, keepdims=True)
        x = np.where(real, x, np.where(np.isfinite(top), top, 0.0))
    return Cells(x, x, real.astype(np.int64), exact, kind)


def _cells_of_counts(state: SketchState) -> Cells:
    order, lo, hi = cell_edges(state.kind, state.bits)
    counts = np.asarray(state.counts)[:, order]
    used = np.flatnonzero(counts.any(axis=0))
    lo, hi, counts = lo[used], hi[used], counts[:, used]
    if state.exact:  # no dropped bit was set: the value is the end nearer to zero
        lo = hi = np.where(np.abs(lo) < np.abs(hi), lo, hi)
    tall = (counts.shape[0], 1)
    return Cells(np.tile(lo, tall), np.tile(hi, tall), counts, state.exact, state.kind)


@lru_cache(maxsize=4)
def cell_edges(kind: str, bits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of finite cells in ascending order, and the least and the greatest float of each.

    The two cells at +0 and -0 are taken as the value 0.
    """
    pattern, width = PATTERN[kind]
    half, drop = 1 << (bits - 1), width - bits
    infinity = int(np.array(np.inf, kind).view(pattern)) >> drop
    near = np.arange(infinity, dtype=np.uint64) << np.uint64(drop)
    far = near | np.uint64((1 << drop) - 1)
    near, far = (v.astype(pattern).view(kind).astype(np.float64) for v in (near, far))
    far[0] = 0.0
    magnitude = np.arange(infinity)
    order = np.concatenate([half + magnitude[::-1], magnitude])
    return order, np.concatenate([-far[::-1], near]), np.concatenate([-near[::-1], far])
