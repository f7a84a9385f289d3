"""Totals of values, one by one or with a count each: the exact pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from qviz import xp
from qviz.metrics.base import MOST_COUNTS, Totals
from qviz.quantizers.base import Quantizer
from qviz.stats.cells import Cells
from qviz.xp import Array

BINS = 256  # of the Jensen-Shannon divergence
BLOCK = 2**16  # elements at a time: what is computed of them stays in the cache


@dataclass(frozen=True, eq=False)
class Frame:
    """Extremes of the finite elements per group, (groups,): where the bins of x and y lie."""

    lo: np.ndarray
    hi: np.ndarray


def of_rows(rows: Array, quantizer: Quantizer, frame: Frame) -> Totals:
    """Totals of rows (groups, elements); the quantizer has as many groups, or one."""
    return reduce(add, (_of_block(block, None, quantizer, frame) for block in _blocks(rows)))


def of_cells(cells: Cells, quantizer: Quantizer, frame: Frame) -> Totals:
    """Totals of cells that are single values: exact."""
    values = cells.lo.astype(cells.dtype)
    return _of_block(values, cells.count.astype(np.float64), quantizer, frame)


def _blocks(rows: Array) -> Iterator[Array]:
    width = max(1, BLOCK // max(rows.shape[0], 1))
    for start in range(0, max(rows.shape[1], 1), width):
        yield rows[:, start : start + width]


def _of_block(rows: Array, weight: np.ndarray | None, q: Quantizer, frame: Frame) -> Totals:
    finite = np.isfinite(xp.host(rows)) if weight is None else None
    if finite is not None and not finite.all():
        weight = finite.astype(np.float64)
        rows = xp.namespace(rows).where(xp.namespace(rows).isfinite(rows), rows, 0)
    codes = q.encode(rows)
    kept = q.quantize(rows)
    x, y = _float64(rows), _float64(q.dequantize(kept))
    codes, kept = _float64(codes), _float64(kept)
    return _add_up(_Piece(x, y, codes, kept, weight), q, frame)


def _float64(values: Array) -> np.ndarray:
    return xp.host(values).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class _Piece:
    """x, y, code before and after clamping, weight (None: 1 each)."""

    x: np.ndarray
    y: np.ndarray
    code: np.ndarray
    kept: np.ndarray
    weight: np.ndarray | None

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Weighted sum per group."""
        if self.weight is None:
            return values.sum(axis=1, dtype=np.float64)
        return np.einsum("ij,ij->i", np.broadcast_to(values, self.y.shape), self._weights)

    def dot(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Weighted sum of products per group."""
        if self.weight is None:
            return np.einsum("ij,ij->i", a, b)
        return np.einsum("ij,ij,ij->i", a, b, self._weights)

    @property
    def _weights(self) -> np.ndarray:
        return np.broadcast_to(self.weight, self.y.shape)

    def table(self, at: np.ndarray, columns: int) -> np.ndarray:
        """Counts per group and column."""
        groups = self.y.shape[0]
        flat = (at + (np.arange(groups) * columns)[:, None]).ravel()
        weight = None if self.weight is None else self._weights.ravel()
        counts = np.bincount(flat, weight, minlength=groups * columns)
        return counts.astype(np.float64).reshape(groups, columns)


def _add_up(p: _Piece, q: Quantizer, frame: Frame) -> Totals:
    low, high = q.ends
    x, y = np.broadcast_to(p.x, p.y.shape), p.y
    e = y - x
    below, above = p.code < low, p.code > high
    step = np.nan if q.step is None else q.step
    sums = {
        "n": p.sum(np.ones_like(x)),
        "nonzero": p.sum(x != 0),
        "x": p.sum(x),
        "xx": p.dot(x, x),
        "ax": p.sum(np.abs(x)),
        "e": p.sum(e),
        "ee": p.dot(e, e),
        "ae": p.sum(np.abs(e)),
        "xy": p.dot(x, y),
        "yy": p.dot(y, y),
        "zeroed": p.sum((x != 0) & (y == 0)),
        "clipped_low": p.sum(below),
        "clipped_high": p.sum(above),
        "ee_low": p.dot(e * below, e),
        "ee_high": p.dot(e * above, e),
    }
    sums["e_steps"], sums["ee_steps"] = sums["e"] / step, sums["ee"] / (step * step)
    lo, hi, worst = _extremes(p, x, e)
    return Totals(**sums, x_min=lo, x_max=hi, max_e=worst, **_tables(p, q, frame))


def _extremes(p: _Piece, x: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, ...]:
    e = np.abs(e)
    if p.weight is None:
        return x.min(1, initial=np.inf), x.max(1, initial=-np.inf), e.max(1, initial=0.0)
    there = p._weights > 0
    lo = x.min(1, initial=np.inf, where=there)
    return lo, x.max(1, initial=-np.inf, where=there), e.max(1, initial=0.0, where=there)


def _tables(p: _Piece, q: Quantizer, frame: Frame) -> dict[str, np.ndarray | None]:
    low, high = q.ends
    groups, levels = p.y.shape[0], high - low + 1
    out: dict[str, np.ndarray | None] = {"codes": None, "x_bins": None, "y_bins": None}
    if groups * levels <= MOST_COUNTS:
        out["codes"] = p.table((p.kept - low).astype(np.int64), levels)
    if groups * BINS <= MOST_COUNTS:
        out["x_bins"] = p.table(bin_of(np.broadcast_to(p.x, p.y.shape), frame), BINS)
        out["y_bins"] = p.table(bin_of(p.y, frame), BINS)
    return out


def bin_of(values: np.ndarray, frame: Frame) -> np.ndarray:
    """Bin 0..255 over [lo, hi] of each value; outside counts in the end bins."""
    lo, hi = frame.lo[:, None], frame.hi[:, None]
    width = hi - lo
    width = np.where((width > 0) & np.isfinite(width), width, 1.0)
    at = (values - np.where(np.isfinite(lo), lo, 0.0)) * BINS / width
    return np.clip(at, 0, BINS - 1).astype(np.int64)
