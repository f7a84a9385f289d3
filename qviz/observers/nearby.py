"""Rounding near 0 on grids of very many levels, where a step is wider than a cell."""

from __future__ import annotations

import numpy as np

from qviz.quantizers.base import Quantizer
from qviz.stats.cells import Cells

CODES = 128  # to each side of 0: farther out a cell of the 16-bit sketch is wider than a step


def near_zero(cells: Cells, quantizer: Quantizer) -> np.ndarray:
    """What step^2 / 12 per element misses near 0, (groups,); one row of cells, an even grid.

    The sum of squared errors of the codes around 0, region by region, less step^2 / 12 for each
    element there. Zeros and elements far below a step cost less than that, or more.
    """
    low, high = quantizer.ends
    first, last = quantizer.levels(low, low), quantizer.levels(high, high)
    step = (last - first) / (high - low)
    middle = np.rint(np.clip(-first / np.where(step > 0, step, 1.0), 0, high - low))
    y = first + (middle + np.arange(-CODES, CODES + 1)) * step
    edges = np.concatenate([y - step / 2, y[:, -1:] + step / 2], axis=1)
    n, x, xx = (np.diff(v, axis=1) for v in below(cells, np.clip(edges, first, last)))
    return (xx - 2 * y * x + (y * y - step * step / 12) * n).sum(axis=1).astype(np.float64)


def below(cells: Cells, at: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sums of 1, x and x^2 over all elements below given points; one row of cells."""
    lo, hi = cells.lo[0], cells.hi[0]
    cell = np.minimum(np.searchsorted(hi, at, side="left"), len(lo) - 1)
    start, width = lo[cell], hi[cell] - lo[cell]
    part = np.clip((at - start) / np.where(width > 0, width, 1.0), 0.0, 1.0)
    part = np.where(width > 0, part, at > start)
    n, end = part * cells.count[0][cell], start + part * width
    before = tuple(sums[0][cell] for sums in cells.prefix)
    x, xx = n * (start + end) / 2, n * (start * start + start * end + end * end) / 3
    return before[0] + n, before[1] + x, before[2] + xx
