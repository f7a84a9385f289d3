"""Exact corners of what a quantizer does to a value, found without knowing its rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.quantizers.base import Quantizer

SAMPLES = 6001  # places looked at first
HALVINGS = 24  # of the gap between two of them: mostly down to one float32
MOST_STEPS = 512  # more than that is no staircase any more
FEW = 1024  # points of the line that stands for one then
Curve = Callable[[np.ndarray], np.ndarray]


def corners(
    quantizer: Quantizer, lo: float, hi: float, group: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The staircase from ``lo`` to ``hi`` as a polyline: x and y, float64, same length.

    Each step gives two points at one x, where the next level begins. A jump is found where two
    of 6,001 even samples differ, and halved 24 times. Above 512 steps the line runs through
    1,024 samples instead.

    Raises
    ------
    QvizError
        ``lo`` is not below ``hi``, or one of them is not finite in float32.
    """
    x = places(lo, hi)
    curve = evaluated(quantizer.fake_quantize, group)
    y = curve(x)
    gaps = np.flatnonzero(y[1:] != y[:-1])
    if gaps.size > MOST_STEPS:
        few = np.linspace(0, x.size - 1, FEW).round().astype(int)
        return x[few].astype(np.float64), y[few]
    at = np.repeat(halved(curve, x[gaps], x[gaps + 1])[1], 2)
    heights = np.repeat(np.append(y[gaps], y[-1]), 2)
    across = np.concatenate([x[:1], at, x[-1:]]).astype(np.float64)
    return across, heights


def places(lo: float, hi: float) -> np.ndarray:
    """6,001 even float32 places from ``lo`` to ``hi``.

    Raises
    ------
    QvizError
        See ``corners``.
    """
    with np.errstate(over="ignore"):
        ends = np.array([lo, hi], np.float64).astype(np.float32)
    if not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise QvizError(
            f"From {lo:g} to {hi:g} there is nothing to draw.",
            "Both ends must be finite in float32, the first below the second.",
            "Move them apart.",
        )
    return np.linspace(float(ends[0]), float(ends[1]), SAMPLES).astype(np.float32)


def evaluated(function: Callable[[np.ndarray], np.ndarray], group: int = 0) -> Curve:
    """A function of rows as one of values, float32 in and float64 out, for one group."""

    def curve(x: np.ndarray) -> np.ndarray:
        rows = xp.host(function(x[None, :]))
        return rows[group if rows.shape[0] > 1 else 0].astype(np.float64)

    return curve


def halved(
    curve: Curve, left: np.ndarray, right: np.ndarray, least: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Places just before and just after a jump in each gap [left, right], 2^-24 of it apart.

    Goes where the curve moves by more than ``least`` of what it moves over the gap; left first.
    """
    start, end = curve(left), curve(right)
    for _ in range(HALVINGS):
        middle = ((left.astype(np.float64) + right) / 2).astype(np.float32)
        there = curve(middle)
        on_left = np.abs(there - start) > least * np.abs(end - start)
        right, end = np.where(on_left, middle, right), np.where(on_left, there, end)
        left, start = np.where(on_left, left, middle), np.where(on_left, start, there)
    return left, right
