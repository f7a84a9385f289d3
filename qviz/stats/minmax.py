"""Extremes, and counts of what a naive range would trip over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.xp import Array

TINY = {"float16": 2.0**-14, "float32": 2.0**-126, "float64": 2.0**-1022}  # smallest normals


@dataclass(frozen=True, eq=False)
class MinMaxState:
    """Per group, shape (groups,): extremes of the finite elements, and counts (int64).

    A group without a finite element has ``lo = +inf`` and ``hi = -inf``.
    """

    lo: np.ndarray
    hi: np.ndarray
    n: np.ndarray
    nan: np.ndarray
    plus_inf: np.ndarray
    minus_inf: np.ndarray
    zero: np.ndarray
    subnormal: np.ndarray

    @property
    def finite(self) -> np.ndarray:
        """Number of finite elements."""
        return self.n - self.nan - self.plus_inf - self.minus_inf

    @property
    def amax(self) -> np.ndarray:
        """Largest magnitude; 0 where there is no finite element."""
        return np.where(self.finite > 0, np.maximum(np.abs(self.lo), np.abs(self.hi)), 0.0)


@dataclass(frozen=True)
class MinMax(Statistic[MinMaxState]):
    """Minimum and maximum of the finite elements; counts of NaN, infinities, 0 and subnormals."""

    def of(self, rows: Array, given: Seen) -> MinMaxState:
        ns, tiny = xp.namespace(rows), TINY[xp.dtype_name(rows)]
        groups, n = rows.shape
        if xp.dtype_name(rows) == "float16":
            rows = xp.astype(rows, "float32")  # exact, and far faster to compare
        none = np.zeros(groups, np.int64)
        if n == 0 or groups == 0:
            ends = np.full(groups, np.inf)
            return MinMaxState(ends, -ends, none, none, none, none, none, none)
        lo, hi = _ends(ns.amin(rows, axis=1)), _ends(ns.amax(rows, axis=1))
        nan, plus, minus = none, none, none
        if not (np.isfinite(lo) & np.isfinite(hi)).all():
            lo, hi, nan, plus, minus = _of_finite(ns, rows)
        zero, subnormal = _near_zero(ns, rows, (lo, hi), tiny)
        return MinMaxState(lo, hi, none + n, nan, plus, minus, zero, subnormal)

    def merge(self, a: MinMaxState, b: MinMaxState) -> MinMaxState:
        counts = ("n", "nan", "plus_inf", "minus_inf", "zero", "subnormal")
        added = [getattr(a, name) + getattr(b, name) for name in counts]
        return MinMaxState(np.minimum(a.lo, b.lo), np.maximum(a.hi, b.hi), *added)


def _ends(values: Array) -> np.ndarray:
    return xp.host(values).astype(np.float64) + 0.0  # -0 becomes 0, whichever came first


def _count(ns: Any, mask: Array) -> np.ndarray:
    if ns is not np:
        return xp.host(mask.sum(1))
    if mask.shape[0] > 64:
        return mask.sum(axis=1)
    return np.array([np.count_nonzero(row) for row in mask])  # far faster on long rows


def _of_finite(ns: Any, rows: Array) -> tuple[np.ndarray, ...]:
    finite = ns.isfinite(rows)
    lo = _ends(ns.amin(ns.where(finite, rows, float("inf")), axis=1))
    hi = _ends(ns.amax(ns.where(finite, rows, -float("inf")), axis=1))
    masks = (ns.isnan(rows), rows == float("inf"), rows == -float("inf"))
    return lo, hi, *(_count(ns, mask) for mask in masks)


def _near_zero(
    ns: Any, rows: Array, ends: tuple[np.ndarray, np.ndarray], tiny: float
) -> tuple[np.ndarray, ...]:
    zero, (lo, hi) = _count(ns, rows == 0), ends
    if ((lo >= tiny) | (hi <= -tiny)).all():  # no element can be that small
        return zero, np.zeros_like(zero)
    return zero, _count(ns, ns.abs(rows) < tiny) - zero
