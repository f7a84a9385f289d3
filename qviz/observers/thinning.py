"""Few points of a long curve, for the picture of a decision."""

from __future__ import annotations

import numpy as np

POINTS = 400


def thinned(count: int, chosen: int, most: int = POINTS) -> np.ndarray:
    """Ascending indices of at most ``most`` of ``count`` points: both ends, and ``chosen``."""
    spread = np.linspace(0, count - 1, min(count, most - 1)).round().astype(np.int64)
    return np.unique(np.append(spread, chosen))
