"""TI's 256-bin histogram of each batch, fast mode included."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qviz import xp
from qviz.stats.base import Batch, Running
from qviz.stats.stream import chunks
from qviz.xp import Array

LAST = 255  # bins are 0 to 255; the first and the last are half as wide


@dataclass(frozen=True, eq=False)
class Shares:
    """One batch: extremes of its finite elements and the share of each bin, float32.

    ``percent`` has 256 bins; None where there is no width to divide: a constant batch, or one
    whose width overflows or whose reciprocal does. ``factor`` is bins per unit.
    """

    lo: np.float32
    hi: np.float32
    factor: np.float32
    percent: np.ndarray | None


@dataclass(frozen=True, eq=False)
class SharesState:
    """Histograms of the batches that hold a finite element, and how often starts were drawn."""

    batches: tuple[Shares, ...] = field(default_factory=tuple)
    draws: int = 0


@dataclass(frozen=True)
class TiHistogram(Running[SharesState]):
    """bin = rint((x - min) * (1 / (max - min) * 255)), batch by batch, in float32.

    With ``fast_mode`` every second row and column of a 4-D batch is read where both are more
    than 4; row and column start are drawn, in this order, from Python's ``random`` under
    ``seed``. All types are read as float32. NaN and infinities are left out: TI's own code
    stops there.
    """

    fast_mode: bool = False
    seed: int = 0

    def start(self) -> SharesState:
        return SharesState()

    def step(self, state: SharesState, batch: Batch) -> SharesState:
        draws = state.draws
        if self.fast_mode and is_thinned(batch.x):
            draws += 1
            source = random.Random(self.seed)
            drawn = [starts(source) for _ in range(draws)]
            batch = Batch(thinned(batch.x, drawn[-1]))
        with np.errstate(all="ignore"):
            new = _shares(batch)
        return SharesState((*state.batches, *new), draws)


def is_thinned(x: Array) -> bool:
    """Whether fast mode leaves anything out: 4-D, more than 4 rows and columns."""
    return len(x.shape) == 4 and min(x.shape[2:]) > 4


def starts(source: Any) -> tuple[int, int]:
    """First row and first column read, 0 or 1 each, drawn from Python's ``random`` or its like."""
    return source.randint(0, 1), source.randint(0, 1)


def thinned(x: Array, at: tuple[int, int]) -> Array:
    """Every second row and column of a 4-D array."""
    row, column = at
    return x[..., row::2, column::2]


def _shares(batch: Batch) -> list[Shares]:
    """The batch's histogram, or nothing where it holds no finite element."""
    lo, hi = np.float32(np.inf), np.float32(-np.inf)
    for x in _finite(batch):
        ns = xp.namespace(x)
        lo = np.minimum(lo, xp.host(ns.amin(x, axis=0, keepdims=True))[0])
        hi = np.maximum(hi, xp.host(ns.amax(x, axis=0, keepdims=True))[0])
    if lo > hi:
        return []
    factor = np.float32(1) / (hi - lo) * np.float32(LAST)  # the reciprocal first, as there
    if not 0 < factor < np.inf:
        return [Shares(lo, hi, factor, None)]
    counts = np.zeros(LAST + 1, np.int64)
    for x in _finite(batch):
        counts += counted(x, lo, factor)
    percent = counts.astype(np.float32)
    return [Shares(lo, hi, factor, percent * np.float32(100) / percent.sum())]


def _finite(batch: Batch) -> Iterator[Array]:
    """Non-empty flat float32 pieces without NaN and infinities."""
    for rows in chunks(batch):
        x = xp.astype(rows.reshape(-1), "float32")
        finite = xp.namespace(x).isfinite(x)
        x = x if finite.all() else x[finite]
        if xp.size(x):
            yield x


def counted(x: Array, lo: np.float32, factor: np.float32) -> np.ndarray:
    """Elements by bin, int64 (256,)."""
    at = xp.astype(xp.rint((x - float(lo)) * float(factor)), "int64")
    return xp.host(xp.namespace(x).bincount(at, minlength=LAST + 1))
