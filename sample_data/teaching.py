"""Fifteen small tensors, each made to show one thing about quantization; NumPy alone."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

OUTLIER_CHANNEL = 7


def make_tensors() -> dict[str, NDArray[np.float32]]:
    """All tensors by name, float32; each has a generator of its own with a fixed seed."""
    made = {}
    for seed, make in enumerate(MAKERS):
        made[make.__name__] = make(np.random.default_rng(seed)).astype(np.float32)
    return made


def _normal_quantiles(count: int) -> Array:
    """The standard normal at probabilities (i + 1/2) / count: no random number in it."""
    inverse = NormalDist().inv_cdf
    return np.array([inverse((i + 0.5) / count) for i in range(count)])


def _spread(values: Array) -> Array:
    """The same 8,192 values as (128, 64), dealt out so that all channels look alike."""
    return values[(np.arange(8192) * 2731) % 8192].reshape(128, 64)


def gaussian(rng: np.random.Generator) -> Array:
    """Weights without outliers."""
    return 0.05 * rng.standard_normal((64, 64))


def laplace(rng: np.random.Generator) -> Array:
    """Heavy tails on both sides."""
    return rng.laplace(size=(64, 64))


def relu(rng: np.random.Generator) -> Array:
    """Half zeros, half the right side of a normal."""
    return _spread(np.maximum(_normal_quantiles(8192), 0))


def gelu_tail(rng: np.random.Generator) -> Array:
    """GELU of a normal: a long right side, a left side that ends at -0.17."""
    x = 2 * rng.standard_normal((64, 64))
    cdf = NormalDist().cdf
    return x * np.array([cdf(v) for v in x.flat]).reshape(x.shape)


def bimodal(rng: np.random.Generator) -> Array:
    """Two peaks and nothing near zero."""
    sign = np.where(rng.random((64, 64)) < 0.5, -1, 1)
    return sign * (1 + 0.15 * rng.standard_normal((64, 64)))


def outlier_channel(rng: np.random.Generator) -> Array:
    """Tokens x channels; one channel is 60 times louder than the others."""
    x = _spread(_normal_quantiles(8192))
    x[:, OUTLIER_CHANNEL] *= 60
    return x


def mixed_weight_ranges(rng: np.random.Generator) -> Array:
    """Depthwise filters whose sizes span three decades."""
    return rng.standard_normal((32, 1, 3, 3)) * np.logspace(-3, 0, 32).reshape(32, 1, 1, 1)


def narrow_far(rng: np.random.Generator) -> Array:
    """A narrow band around 1000."""
    return 1000 + rng.standard_normal((64, 64))


def softmax(rng: np.random.Generator) -> Array:
    """Rows of probabilities, most of them tiny."""
    x = np.exp(3 * rng.standard_normal((64, 64)))
    return x / x.sum(axis=1, keepdims=True)


def masked_scores(rng: np.random.Generator) -> Array:
    """Attention scores; a token may not look ahead, so those places hold -10,000."""
    return np.where(np.tri(64, dtype=bool), 2 * rng.standard_normal((64, 64)), -10_000)


def non_finite(rng: np.random.Generator) -> Array:
    """A normal in which five values are no numbers or infinite."""
    x = rng.standard_normal(1024)
    x[[100, 500, 900]] = np.nan
    x[[200, 700]] = np.inf, -np.inf
    return x.reshape(16, 64)


def dead_channel(rng: np.random.Generator) -> Array:
    """Weights with one channel of zeros and one of almost nothing."""
    x = rng.standard_normal((16, 64))
    x[0] = 0
    x[1] *= 1e-6 / np.abs(x[1]).max()
    return x


def constant(rng: np.random.Generator) -> Array:
    """One value everywhere."""
    return np.full((64, 64), 2.0)


def drifting_batches(rng: np.random.Generator) -> Array:
    """Twelve batches, each wider than the one before."""
    return np.linspace(1, 4, 12)[:, None] * rng.uniform(-1, 1, (12, 512))


def rare_peaks(rng: np.random.Generator) -> Array:
    """A heat map: background close to zero and four peaks."""
    x = np.abs(0.02 * rng.standard_normal(8192))
    x[[1000, 3000, 5000, 7000]] = rng.uniform(0.6, 1, 4)
    return x.reshape(128, 64)


MAKERS: tuple[Callable[[np.random.Generator], Array], ...] = (
    gaussian,
    laplace,
    relu,
    gelu_tail,
    bimodal,
    outlier_channel,
    mixed_weight_ranges,
    narrow_far,
    softmax,
    masked_scores,
    non_finite,
    dead_channel,
    constant,
    drifting_batches,
    rare_peaks,
)
