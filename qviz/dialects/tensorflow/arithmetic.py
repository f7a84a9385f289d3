"""TensorFlow's float arithmetic: denormals are zeros, a NaN is ignored in the second place only.

Each operation rounds once; multiplication and addition are never fused.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qviz import xp
from qviz.xp import Array

TINY = {"float32": 2.0**-126, "float64": 2.0**-1022}  # smallest normal number
SAFE = {"float32": 2.0**-100, "float64": 2.0**-900}
HALF = 0.5


@np.errstate(invalid="ignore")  # infinity times 0, where it is not taken
def flushed(x: Array) -> Array:
    """``x`` with every denormal as the zero of its sign; float32 or float64."""
    ns = xp.namespace(x)
    return ns.where(ns.abs(x) < TINY[xp.dtype_name(x)], x * 0, x)


def flusher(*parameters: np.ndarray) -> Callable[[Array], Array]:
    """``flushed``, or nothing to do where it could not show in a rounded result.

    With every scale and offset 0 or between 2^-100 and 2^100 in magnitude, a denormal input times
    a scale is below 2^-26, which rounds to 0; beside an offset it is below half a unit in the last
    place; and a sum of two such numbers, a multiple of the finer one's last place, is no denormal.
    (float64: 2^-900.)
    """
    for parameter in parameters:
        least, size = SAFE[xp.dtype_name(parameter)], np.abs(parameter)
        if not ((size == 0) | ((size >= least) & (size <= 1 / least))).all():
            return flushed
    return _unchanged


def _unchanged(x: Array) -> Array:
    return x


def smaller(a: Array, b: Array) -> Array:
    """``b < a ? b : a``: a NaN in the first place stays, in the second it is ignored."""
    return xp.namespace(a).where(b < a, b, a)


def larger(a: Array, b: Array) -> Array:
    """``a < b ? b : a``: a NaN in the first place stays, in the second it is ignored."""
    return xp.namespace(a).where(a < b, b, a)


def clipped(x: Array, lo: np.ndarray, hi: np.ndarray) -> Array:
    """max(min(x, hi), lo) of rows, but for the sign of a zero.

    ``lo`` wins over a smaller ``hi``; a bound that is NaN does not bound; NaN stays NaN.
    """
    lo = np.where(np.isnan(lo), -np.inf, lo)
    hi = np.maximum(np.where(np.isnan(hi), np.inf, hi), lo)
    kind = xp.dtype_name(x)
    return xp.clip(x, xp.like(lo, x, kind), xp.like(hi, x, kind))


def edges(lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends between which x lies exactly where flushed x lies in [lo, hi].

    ``lo`` and ``hi`` are flushed; a zero becomes the largest denormal on its outer side.
    """
    tiny = TINY[xp.dtype_name(lo)]
    below = np.nextafter(lo.dtype.type(tiny), lo.dtype.type(0))
    return np.where(lo == 0, -below, lo), np.where(hi == 0, below, hi)


def masked(grad: Array, mask: Array) -> Array:
    """Flushed ``grad`` times 1 or 0, a real product: a masked -3 is -0, a masked inf is NaN."""
    return grad * xp.astype(mask, xp.dtype_name(grad))


def ratio(a: Array, b: Array) -> np.ndarray:
    """Quotient a / b, divided in float64 and rounded once to float32."""
    return flushed((np.float64(a) / np.float64(b)).astype(np.float32))


def whole(y: Array, bits: int) -> Array:
    """Rounded ``y`` as the integer it is stored as: NaN and infinities 0; 32 bits wrap round."""
    ns = xp.namespace(y)
    y = ns.where(ns.isfinite(y), y, 0.0)
    if bits < 32:
        return y
    turn, top = 2.0**32, 2.0**31
    return ns.where(y >= top, y - turn, ns.where(y < -top, y + turn, y))


def bounded(codes: Array) -> Array:
    """Codes before clamping with infinities as the largest number: they can be subtracted."""
    most = float(np.finfo(xp.dtype_name(codes)).max)
    return xp.clip(codes, -most, most)


def round_up(y: Array) -> Array:
    """floor(y + 0.5), the sum in the type of ``y``: 0.49999997 gives 1."""
    return xp.namespace(y).floor(y + HALF)
