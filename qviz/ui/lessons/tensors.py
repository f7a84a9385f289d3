"""Tensors that several lessons look at; none needs random numbers."""

from __future__ import annotations

from functools import cache

import numpy as np

from qviz.sources.distributions import even, normal, scattered

LOUD = 7  # the channel that sets the step
TOKENS, CHANNELS, OUTPUTS = 128, 64, 32


@cache
def far_from_zero() -> np.ndarray:
    """Values evenly over [4, 6]."""
    return 4 + 2 * even(4096)


@cache
def half_zeros() -> np.ndarray:
    """Normal values of which the negative half became 0, as behind a ReLU."""
    return np.maximum(normal(8192), 0)


@cache
def loud_channel(factor: float = 60.0) -> np.ndarray:
    """Tokens × channels of normal values; channel 7 is ``factor`` times louder."""
    x = scattered(normal(TOKENS * CHANNELS)).reshape(TOKENS, CHANNELS)
    x[:, LOUD] *= factor
    return x


@cache
def next_weight() -> np.ndarray:
    """Channels × outputs: the matrix that ``loud_channel`` is multiplied by."""
    return 0.1 * scattered(normal(CHANNELS * OUTPUTS), 717).reshape(CHANNELS, OUTPUTS)
