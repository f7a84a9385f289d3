"""Sums of powers of deviations up to the fourth: kurtosis without a smear of cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.xp import Array

BLOCK = 2**17  # elements converted to float64 at a time: they stay in the cache
TINY = 1e-280  # fourth powers below it lose digits


@dataclass(frozen=True, eq=False)
class FourthState:
    """Of the finite elements of a single group: number, mean, sums of (x - mean)^2, ^3 and ^4."""

    n: float = 0.0
    mean: float = 0.0
    m2: float = 0.0
    m3: float = 0.0
    m4: float = 0.0

    @property
    def kurtosis(self) -> float | None:
        """Number times m4 / m2^2; None without spread, or where powers leave float64."""
        square = self.m2 * self.m2
        held = square > TINY and self.m4 > TINY and np.isfinite(square * self.n + self.m4 * self.n)
        return self.n * self.m4 / square if held else None


@dataclass(frozen=True)
class Fourth(Statistic[FourthState]):
    """Powers of deviations, summed in float64 around each block's mean (Pebay 2008, eq. 2.1)."""

    def of(self, rows: Array, given: Seen) -> FourthState:
        x = xp.host(rows).reshape(-1)
        cuts = range(0, x.size, BLOCK)
        return reduce(self.merge, (_of_block(x[c : c + BLOCK]) for c in cuts), FourthState())

    def merge(self, a: FourthState, b: FourthState) -> FourthState:
        if not (a.n and b.n):
            return a if a.n else b
        n, d = a.n + b.n, b.mean - a.mean
        p, q = a.n / n, b.n / n
        dd, joint = d * d, a.n * q
        m3 = a.m3 + b.m3 + d * (dd * joint * (p - q) + 3 * (p * b.m2 - q * a.m2))
        fourth = dd * dd * joint * (p * p - p * q + q * q)
        fourth += 6 * dd * (p * p * b.m2 + q * q * a.m2) + 4 * d * (p * b.m3 - q * a.m3)
        mean, m2 = a.mean + d * q, a.m2 + b.m2 + dd * joint
        return FourthState(n, mean, m2, m3, a.m4 + b.m4 + fourth)


def _of_block(x: np.ndarray) -> FourthState:
    x = x.astype(np.float64)
    if not np.isfinite(x.sum()):
        x = x[np.isfinite(x)]
    if not x.size:
        return FourthState()
    with np.errstate(all="ignore"):
        mean = float(x.mean())
        off = x - mean
        square = off * off
        sums = (square.sum(), *(np.einsum("i,i", square, by) for by in (off, square)))
    return FourthState(float(x.size), mean, *map(float, sums))
