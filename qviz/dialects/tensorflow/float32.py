"""TensorFlow's float32: denormals are zeros, a NaN is ignored in the second place only."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.xp import Array

TINY = 2.0**-126  # smallest normal float32


def flushed(x: Array) -> Array:
    """``x`` with every denormal float32 as the zero of its sign."""
    ns = xp.namespace(x)
    return ns.where(ns.abs(x) < TINY, x * 0, x)


def smaller(a: Array, b: Array) -> np.ndarray:
    """``b < a ? b : a``: a NaN in the first place stays, in the second it is ignored."""
    return np.where(b < a, b, a)


def larger(a: Array, b: Array) -> np.ndarray:
    """``a < b ? b : a``: a NaN in the first place stays, in the second it is ignored."""
    return np.where(a < b, b, a)


def ratio(a: Array, b: Array) -> np.ndarray:
    """Quotient a / b, divided in float64 and rounded once to float32."""
    return flushed((np.float64(a) / np.float64(b)).astype(np.float32))
