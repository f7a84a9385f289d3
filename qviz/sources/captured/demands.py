"""What is demanded of numbers that were saved, and the extremes that they must agree with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.sources.captured.described import Contradiction

Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Ends:
    """Extremes of each tensor and what it counts, (tensors,); inf, -inf without any element."""

    lo: np.ndarray
    hi: np.ndarray
    finite: np.ndarray
    zero: np.ndarray

    def of(self, at: slice) -> Ends:
        """Those of some of the tensors."""
        return Ends(self.lo[at], self.hi[at], self.finite[at], self.zero[at])


def demand(fine: np.ndarray, words: str) -> None:
    """Raises Contradiction where anything is not fine."""
    if not fine.all():
        raise Contradiction(f"the {words}")


def spread(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Whether these are two ends, each."""
    return np.isfinite(lo) & np.isfinite(hi) & (lo <= hi)


def nothing(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Whether these stand for no element, each."""
    return (lo == np.inf) & (hi == -np.inf)


def span(own: np.ndarray, lo: np.ndarray, hi: np.ndarray, count: int) -> Pair:
    """Least and greatest end of each owner's rows, (count,)."""
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, own, lo)
    np.maximum.at(most, own, hi)
    return least, most
