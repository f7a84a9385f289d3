"""Sums over the elements of each row, each counting once or with a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEW = 64  # rows up to which counting them one by one is faster


@dataclass(frozen=True, eq=False)
class Adder:
    """Adds up rows (groups, elements) to (groups,), float64.

    ``weight`` (groups, elements) says how often each element counts; None: once. ``work`` is
    memory of that shape for what is needed of one sum only: fresh memory costs more than the
    arithmetic. A sum may overwrite it.
    """

    weight: np.ndarray | None
    work: np.ndarray

    @staticmethod
    def of(shape: tuple[int, ...], weight: np.ndarray | None) -> Adder:
        """An adder for rows of this shape; ``weight`` broadcasts to it."""
        full = None if weight is None else np.broadcast_to(weight, shape)
        return Adder(full, np.empty(shape))

    def n(self) -> np.ndarray:
        """Weight of all elements."""
        if self.weight is None:
            return np.full(len(self.work), float(self.work.shape[1]))
        return self.weight.sum(axis=1)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sum of values."""
        if self.weight is not None:
            values = np.multiply(values, self.weight, out=self.work)
        return values.sum(axis=1)

    def dot(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Sum of products."""
        return self.sum(np.multiply(a, b, out=self.work))

    def magnitudes(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum of magnitudes, and the largest."""
        size = np.abs(values, out=self.work)
        return_max = size.max(axis=1, initial=0.0, where=self.there)
        return self.sum(size), return_max

    def ends(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value; +inf and -inf where nothing counts."""
        lo = values.min(axis=1, initial=np.inf, where=self.there)
        return lo, values.max(axis=1, initial=-np.inf, where=self.there)

    @property
    def there(self) -> np.ndarray | bool:
        """Which elements count."""
        return True if self.weight is None else self.weight > 0

    def count(self, mask: np.ndarray) -> np.ndarray:
        """Weight of where the mask is true."""
        if self.weight is not None:
            return self.sum(mask)
        if len(mask) > FEW:
            return mask.sum(axis=1).astype(np.float64)
        return np.array([np.count_nonzero(row) for row in mask], np.float64)

    def sum_at(self, at: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Sum of values that belong to the flat indices ``at``."""
        if not len(at):
            return np.zeros(len(self.work))
        if self.weight is not None:
            values = values * self.weight.ravel()[at]
        return np.bincount(at // self.work.shape[1], values, minlength=len(self.work))
