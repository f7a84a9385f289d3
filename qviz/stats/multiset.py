"""Values with the number of times each occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Multiset:
    """Distinct ``values``, ascending, float64, and how often each occurs, int64."""

    values: np.ndarray
    counts: np.ndarray

    @staticmethod
    def of(values: np.ndarray) -> Multiset:
        """From finite values in any order; -0 counts as 0."""
        values, counts = np.unique(values, return_counts=True)
        return Multiset(values.astype(np.float64) + 0.0, counts.astype(np.int64))

    def __add__(self, other: Multiset) -> Multiset:
        """Both together."""
        values = np.concatenate([self.values, other.values])
        if not values.size:
            return self
        order = np.argsort(values, kind="stable")  # fast on two ascending runs
        values = values[order]
        first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
        counts = np.concatenate([self.counts, other.counts])[order]
        return Multiset(values[first], np.add.reduceat(counts, first))

    def rank(self, k: int) -> float:
        """The k-th smallest element, k from 0."""
        return float(self.values[np.searchsorted(np.cumsum(self.counts), k, side="right")])
