"""What observers that cut tails share: the cells they read and the ends they never pass."""

from __future__ import annotations

import numpy as np

from qviz.spec import Range
from qviz.stats.minmax import MinMaxState
from qviz.stats.sketch import Sketch

CELLS = Sketch(16)


def within_data(lo: np.ndarray, hi: np.ndarray, spread: MinMaxState, exact: bool) -> Range:
    """The range, cut to the data; [0, 0] for a group without finite elements.

    An end that is not finite (an overflow on the way) becomes the data's own.
    """
    lo = np.clip(np.where(np.isfinite(lo), lo, spread.lo), spread.lo, spread.hi)
    hi = np.clip(np.where(np.isfinite(hi), hi, spread.hi), lo, spread.hi)
    full = spread.finite > 0
    return Range(np.where(full, lo, 0.0), np.where(full, hi, 0.0), exact)
