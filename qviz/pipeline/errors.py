"""Sums of squared error: what it takes to set many granularities side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import reduce

import numpy as np

from qviz import xp
from qviz.metrics.base import decibels
from qviz.quantizers.base import Quantizer
from qviz.stats.base import Batch
from qviz.stats.stream import Stream, Tile
from qviz.xp import Array

BLOCK = 2**15  # elements at a time: what is computed of them stays in the cache
FEW = 2**18  # elements of a tile where groups are short
MOST_MARKS = 2**24  # marks of codes that occur, over the groups of a tile


@dataclass(frozen=True, eq=False)
class Errors:
    """Sums over the finite elements of each group, all (groups,) float64.

    ``xx`` and ``ee`` are sums of squares of the elements and of what they are off by; of
    ``clipped`` elements the latter is ``ee_clipped``. ``zeroed`` counts elements other than 0
    that come back as 0, ``nonzero`` all elements other than 0.
    """

    n: np.ndarray
    nonzero: np.ndarray
    xx: np.ndarray
    ee: np.ndarray
    clipped: np.ndarray
    ee_clipped: np.ndarray
    zeroed: np.ndarray

    @property
    def sqnr(self) -> np.ndarray:
        """SQNR of each group in dB; +inf where nothing is lost, NaN without energy."""
        return decibels(self.xx, self.ee)

    @property
    def overall(self) -> float:
        """SQNR of all groups together, in dB; +inf where nothing is lost, NaN without energy."""
        return self.together(np.ones(self.n.shape, bool))

    @property
    def worst(self) -> float:
        """Lowest SQNR of a group, in dB; +inf where none has a number."""
        return least_of(self.sqnr)

    def together(self, some: np.ndarray) -> float:
        """SQNR of the chosen groups taken as one, in dB."""
        return float(decibels(self.xx[some].sum(), self.ee[some].sum()))

    def __add__(self, other: Errors) -> Errors:
        """Sums of two pieces of the same groups."""
        return Errors(*(a + b for a, b in zip(self._columns, other._columns, strict=True)))

    @property
    def _columns(self) -> list[np.ndarray]:
        return [getattr(self, field.name) for field in fields(self)]

    def placed(self, at: np.ndarray, groups: int) -> Errors:
        """The sums of ``groups`` others, to which group i adds at ``at[i]``."""
        return Errors(*(np.bincount(at, column, groups) for column in self._columns))

    @staticmethod
    def nothing(groups: int) -> Errors:
        """Sums of groups without elements."""
        return Errors(*(np.zeros(groups) for _ in fields(Errors)))

    @staticmethod
    def joined(parts: Sequence[Errors]) -> Errors:
        """One after the other along groups."""
        columns = zip(*(part._columns for part in parts), strict=True)
        return Errors(*(np.concatenate(column) for column in columns))


def least_of(sqnr: np.ndarray) -> float:
    """Least of the finite values; +inf where there is none."""
    return float(sqnr[np.isfinite(sqnr)].min(initial=np.inf))


@dataclass(frozen=True, eq=False)
class Elements:
    """Error, energy and marks of a block of elements, each (groups, elements), float64 or bool."""

    there: np.ndarray | None
    x: np.ndarray
    ee: np.ndarray
    out: np.ndarray | None
    gone: np.ndarray

    def summed(self, axis: int = 1) -> Errors:
        """Sums along one axis."""
        shape, energy = self.x.shape, self.x * self.x
        n = np.full(shape[1 - axis], float(shape[axis]))
        n = n if self.there is None else self.there.sum(axis, dtype=np.float64)
        none = np.zeros(shape[1 - axis])
        clipped = none if self.out is None else self.out.sum(axis, dtype=np.float64)
        lost = none if self.out is None else (self.ee * self.out).sum(axis)
        nonzero = (self.x != 0).sum(axis, dtype=np.float64)
        gone = self.gone.sum(axis, dtype=np.float64)
        return Errors(n, nonzero, energy.sum(axis), self.ee.sum(axis), clipped, lost, gone)


def elements(rows: Array, quantizer: Quantizer) -> tuple[Elements, np.ndarray]:
    """What each element costs, and its code after clamping; NaN and infinities cost nothing."""
    finite = np.isfinite(xp.host(rows))
    there = None if finite.all() else finite
    if there is not None:
        rows = xp.namespace(rows).where(xp.namespace(rows).isfinite(rows), rows, 0)
    codes, (low, high) = quantizer.encode(rows), quantizer.ends
    wraps = type(quantizer).quantize is not Quantizer.quantize
    kept = quantizer.quantize(rows) if wraps else xp.clip(codes, low, high)
    x, y, codes = (_float64(v) for v in (rows, quantizer.dequantize(kept), codes))
    e = y - x
    ee = e * e if there is None else np.where(there, e * e, 0.0)
    out = (codes < low) | (codes > high)
    gone = (y == 0) & (x != 0)
    return Elements(there, x, ee, out if out.any() else None, gone), _float64(kept)


def _float64(values: Array) -> np.ndarray:
    return xp.host(values).astype(np.float64, copy=False)


def errors_of(tile: Tile, quantizer: Quantizer, marks: np.ndarray | None = None) -> Errors:
    """Sums of each group of a tile, exact. ``marks`` (groups, codes) is told which codes occur."""
    parts = []
    with np.errstate(all="ignore"):
        for rows in blocks(tile):
            block, kept = elements(rows, quantizer)
            parts.append(block.summed())
            if marks is not None:
                mark(marks, kept - quantizer.ends[0], block.there)
    return reduce(lambda a, b: a + b, parts)


def mark(
    marks: np.ndarray, codes: np.ndarray, there: np.ndarray | None, at: np.ndarray | None = None
) -> None:
    """Mark the codes, counted from 0, of the elements that are ``there``.

    The group of each is ``at``, that of its row unless given. Flat places are far faster than
    pairs of indices.
    """
    rows = np.arange(len(codes))[:, None] if at is None else at
    places = (codes + rows * marks.shape[1]).astype(np.intp)
    marks.reshape(-1)[places.ravel() if there is None else places[there]] = True


def energies_of(tile: Tile, quantizer: Quantizer) -> tuple[np.ndarray, np.ndarray]:
    """Sums of squares of the elements of each group, and of what they are off by: nothing else."""
    xx, ee = np.zeros(tile.groups), np.zeros(tile.groups)
    with np.errstate(all="ignore"):
        for rows in blocks(tile):
            x, y = _float64(rows), _float64(quantizer.fake_quantize(rows))
            e = y - x
            own, off = np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", e, e)
            if not (np.isfinite(own).all() and np.isfinite(off).all()):
                there = np.isfinite(x)
                own, off = (np.where(there, v * v, 0.0).sum(axis=1) for v in (x, e))
            xx, ee = xx + own, ee + off
    return xx, ee


def marks_for(groups: int, quantizer: Quantizer) -> np.ndarray | None:
    """Marks for the codes of each group, all off; None where they would be too many."""
    low, high = quantizer.ends
    many = groups * (high - low + 1) > MOST_MARKS
    return None if many else np.zeros((groups, high - low + 1), bool)


def blocks(tile: Tile) -> Iterator[Array]:
    """Pieces (groups, elements) of a tile, small enough for the cache, columns in order."""
    for rows in tile.chunks():
        wide = max(BLOCK // max(rows.shape[0], 1), 64)
        for start in range(0, max(rows.shape[1], 1), wide):
            yield rows[:, start : start + wide]


def small_tiles(stream: Stream) -> Iterator[Tile]:
    """Tiles of a stream, cut smaller where its groups are short."""
    for tile in stream.tiles:
        groups, n = tile.groups, tile.size // max(tile.groups, 1)
        tall = max(1, FEW // max(n, 1))
        if groups <= tall:
            yield tile
            continue
        start = tile.batches[0].tile.start or 0
        for at in range(start, start + groups, tall):
            cut = slice(at, min(at + tall, start + groups))
            yield Tile(tuple(Batch(b.x, b.granularity, cut) for b in tile.batches))
