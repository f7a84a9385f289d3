"""What a tensor is to the rules: the ends of its range, and elements to compare on."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.rosetta.comparison import CHUNK, MOST, thinned
from qviz.xp import Array


def row_of(x: Array) -> np.ndarray:
    """All elements as one NumPy row in the float type they are counted in, (n,)."""
    return xp.host(xp.working(xp.enter(x))).reshape(-1)


def extent(row: np.ndarray) -> tuple[float, float]:
    """Smallest and largest finite element of a row, rounded to float32.

    Raises
    ------
    QvizError
        There is no finite element.
    """
    lo, hi = np.inf, -np.inf
    for start in range(0, row.size, CHUNK):
        piece = row[start : start + CHUNK]
        finite = piece[np.isfinite(piece)]
        lo, hi = min(lo, finite.min(initial=np.inf)), max(hi, finite.max(initial=-np.inf))
    if hi < lo:
        raise QvizError(
            "There is no finite element to take a range from.",
            "The tensor is empty, or all of it is NaN or infinite.",
            "Type a range instead.",
        )
    with np.errstate(over="ignore"):
        return float(np.float32(lo)), float(np.float32(hi))


def in_order(lo: float, hi: float) -> tuple[float, float]:
    """A typed range, if its ends are in order or NaN.

    Raises
    ------
    QvizError
        It ends below its start.
    """
    if hi < lo:
        raise QvizError(
            f"The range from {lo:g} to {hi:g} ends below its start.",
            "Most frameworks make no scale of that, and there is nothing to compare.",
            f"Exchange the ends: {hi:g} to {lo:g}.",
        )
    return lo, hi


def sampled(x: Array) -> np.ndarray:
    """Finite elements of a tensor in float32, of more than a million evenly spaced ones, (n,)."""
    entered = xp.enter(x).reshape(-1)
    size = xp.size(entered)
    return thinned(row_of(entered[:: -(-size // MOST)] if size > MOST else entered))
