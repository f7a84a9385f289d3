"""The tensor with one loud channel, and plain arithmetic to hold results against."""

import numpy as np

from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import Target
from qviz.sources.distributions import normal
from qviz.spec import QuantSpec

ABSMAX = OBSERVERS.make("absmax")
NARROW = Target.of(QuantSpec(8, signed=True, symmetric=True, narrow_range=True))
QUIET = np.arange(64) != 7


def tensor(factor=60):
    x = normal(8192)[(np.arange(8192) * 2731) % 8192].reshape(128, 64)
    x[:, 7] *= factor
    return x


def weight():
    return 0.1 * normal(2048)[(np.arange(2048) * 717) % 2048].reshape(64, 32)


def rounded(x, bound):
    """Symmetric 8 bit with 127 steps up to the bound."""
    step = bound / 127
    return np.clip(np.round(x / step), -127, 127) * step


def db(x, y):
    return 10 * np.log10((x**2).sum() / ((y - x) ** 2).sum())
