"""Where a curve turns round, small wiggles left aside."""

from __future__ import annotations

import numpy as np


def turns_of(height: np.ndarray, swing: float) -> np.ndarray:
    """Values at which a row of them turns round, by more than ``swing`` each time.

    >>> turns_of(np.array([0.0, 2.0, 1.9, 3.0, 0.0]), 0.5)
    array([3.])
    """
    turns, way, end = [], 0, float(height[0]) if height.size else 0.0
    for value in height.tolist():
        if way * (value - end) >= 0 and way:
            end = value
        elif abs(value - end) > swing:
            turns += [end] if way else []
            way, end = 1 if value > end else -1, value
    return np.array(turns)
