"""Values of known distributions: exact quantiles without randomness, and seeded draws."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np


def even(n: int) -> np.ndarray:
    """Middles of n equal parts of [0, 1]: (k + 1/2) / n."""
    return (np.arange(n) + 0.5) / n


def normal(n: int) -> np.ndarray:
    """The n even quantiles of the standard normal distribution, ascending, float64."""
    quantile = NormalDist().inv_cdf
    return np.array([quantile(p) for p in even(n).tolist()])


def laplace(n: int) -> np.ndarray:
    """The n even quantiles of the Laplace distribution of scale 1, ascending, float64."""
    p = even(n)
    return np.where(p < 0.5, np.log(2 * p), -np.log(2 * (1 - p)))


def scattered(x: np.ndarray, step: int = 2731) -> np.ndarray:
    """The elements in an order without pattern; ``step`` has no factor in common with x.size."""
    return x[(np.arange(x.size) * step) % x.size]


def heavy_tailed(n: int, seed: int = 0) -> np.ndarray:
    """Draws of Student's t with 3 degrees of freedom, float32, shape (n,)."""
    return np.random.default_rng(seed).standard_t(3, n).astype(np.float32)
