"""Number, mean and spread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.xp import Array

BLOCK = 2**16  # elements converted to float64 at a time: they stay in the cache
FIELDS = ("n", "mean", "m2", "a1")


@dataclass(frozen=True, eq=False)
class MomentsState:
    """Per group, shape (groups,), float64, of the finite elements.

    ``m2`` is the sum of squared deviations from the mean, ``a1`` the sum of magnitudes.
    """

    n: np.ndarray
    mean: np.ndarray
    m2: np.ndarray
    a1: np.ndarray

    @property
    def std(self) -> np.ndarray:
        """Unbiased standard deviation; 0 for fewer than two elements."""
        return np.sqrt(self.m2 / np.maximum(self.n - 1, 1))


@dataclass(frozen=True)
class Moments(Statistic[MomentsState]):
    """Mean, squared deviations and magnitudes, summed in float64 around each block's mean."""

    def of(self, rows: Array, given: Seen) -> MomentsState:
        groups, n = rows.shape
        if n > BLOCK:
            cuts = range(0, n, BLOCK)
            return reduce(self.merge, (_of_block(rows[:, c : c + BLOCK]) for c in cuts))
        tall = max(1, BLOCK // max(n, 1))
        parts = [_of_block(rows[g : g + tall]) for g in range(0, max(groups, 1), tall)]
        return MomentsState(*(np.concatenate([getattr(p, f) for p in parts]) for f in FIELDS))

    def merge(self, a: MomentsState, b: MomentsState) -> MomentsState:
        n = a.n + b.n
        share = b.n / np.maximum(n, 1)
        gap = b.mean - a.mean
        return MomentsState(
            n, a.mean + gap * share, a.m2 + b.m2 + gap * gap * share * a.n, a.a1 + b.a1
        )


def _of_block(rows: Array) -> MomentsState:
    ns, x = xp.namespace(rows), xp.astype(rows, "float64")
    n = np.full(rows.shape[0], float(rows.shape[1]))
    keep = None
    total = xp.host(ns.sum(x, axis=1))
    if not np.isfinite(total).all():
        finite = ns.isfinite(x)
        x, keep = ns.where(finite, x, 0.0), xp.astype(finite, "float64")
        n, total = xp.host(ns.sum(keep, axis=1)), xp.host(ns.sum(x, axis=1))
    a1 = xp.host(ns.sum(ns.abs(x), axis=1))
    mean = total / np.maximum(n, 1)
    off = x - xp.like(mean, x, "float64")
    off = off if keep is None else off * keep
    return MomentsState(n, mean, xp.host(ns.einsum("ij,ij->i", off, off)), a1)
