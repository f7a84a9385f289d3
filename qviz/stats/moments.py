"""Number, mean and spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.xp import Array

BLOCK = 2**17  # elements converted to float64 at a time: they stay in the cache
FIELDS = ("n", "mean", "m2", "a1")


@dataclass(frozen=True, eq=False)
class MomentsState:
    """Per group, shape (groups,), float64, of the finite elements.

    ``m2`` is the sum of squared deviations from the mean, ``a1`` the sum of magnitudes; either is
    inf where float64 overflows (elements near 1e154 and 1e308). All 0 for a group without finite
    elements.
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
            return _joined([_of_block(rows[:, c : c + BLOCK]) for c in cuts])
        tall = max(1, BLOCK // max(n, 1))
        parts = [_of_block(rows[g : g + tall]) for g in range(0, max(groups, 1), tall)]
        return MomentsState(*(np.concatenate([getattr(p, f) for p in parts]) for f in FIELDS))

    def merge(self, a: MomentsState, b: MomentsState) -> MomentsState:
        return _joined((a, b))


def _joined(parts: Sequence[MomentsState]) -> MomentsState:
    n, mean, m2, a1 = (np.stack([getattr(part, name) for part in parts]) for name in FIELDS)
    total = n.sum(axis=0)
    share = n / np.maximum(total, 1)
    centre = mean[0] + (share * (mean - mean[0])).sum(axis=0)  # exact where all means are equal
    centre = np.where(np.isfinite(centre), centre, (share * mean).sum(axis=0))
    off = mean - centre
    apart = np.where(n > 0, off * off * n, 0.0).sum(axis=0)
    return MomentsState(total, centre, m2.sum(axis=0) + apart, a1.sum(axis=0))


def _of_block(rows: Array) -> MomentsState:
    ns, x = xp.namespace(rows), xp.astype(rows, "float64")
    x = np.ascontiguousarray(x) if ns is np else x  # one order of summing, whatever the layout
    n = np.full(x.shape[0], float(x.shape[1]))
    keep = None
    total = xp.host(ns.sum(x, axis=1))
    if not np.isfinite(total).all():
        finite = ns.isfinite(x)
        x, keep = ns.where(finite, x, 0.0), xp.astype(finite, "float64")
        n = xp.host(ns.sum(keep, axis=1))
        total = xp.host(ns.sum(x, axis=1))
    mean = total / np.maximum(n, 1)
    if not np.isfinite(mean).all():  # the sum overflowed, the mean does not
        mean = xp.host(ns.sum(x / xp.like(np.maximum(n, 1), x, "float64"), axis=1))
    a1 = xp.host(ns.sum(ns.abs(x), axis=1))
    off = x - xp.like(mean, x, "float64")
    off = off if keep is None else off * keep
    return MomentsState(n, mean, xp.host(ns.einsum("ij,ij->i", off, off)), a1)
