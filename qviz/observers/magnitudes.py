"""Linear bins of |x|, made from cells."""

from __future__ import annotations

import numpy as np

from qviz.stats.cells import Cells


def binned(cells: Cells, amax: np.ndarray, bins: int) -> np.ndarray:
    """Elements per bin, (groups, bins), of ``bins`` equal bins of |x| over [0, amax].

    Exact zeros are left out. A bin holds its lower edge, the last one both; the elements of a
    wide cell are spread evenly, so a bin may hold a fraction.
    """
    if cells.exact:
        return _of_values(cells, amax, bins)
    edges = amax[:, None] * (np.arange(bins + 1) / bins)
    out = np.zeros((cells.groups, bins))
    for g in range(cells.groups):
        used = cells.count[g] > 0
        lo, hi, count = cells.lo[g][used], cells.hi[g][used], cells.count[g][used]
        above, below = hi > 0, lo < 0
        out[g] += _spread(lo[above], hi[above], count[above], edges[g])
        out[g] += _spread(-hi[below][::-1], -lo[below][::-1], count[below][::-1], edges[g])
    return out


def _of_values(cells: Cells, amax: np.ndarray, bins: int) -> np.ndarray:
    size = np.abs(cells.lo)
    with np.errstate(all="ignore"):
        at = np.nan_to_num(size * bins / amax[:, None], nan=0.0, posinf=bins)
    at = np.minimum(at, bins - 1).astype(np.int64) + np.arange(cells.groups)[:, None] * bins
    weight = np.where(size > 0, cells.count, 0).astype(np.float64)
    counts = np.bincount(at.ravel(), weight.ravel(), minlength=cells.groups * bins)
    return counts.reshape(cells.groups, bins)


def _spread(lo: np.ndarray, hi: np.ndarray, count: np.ndarray, edges: np.ndarray) -> np.ndarray:
    if not count.size:
        return np.zeros(len(edges) - 1)
    total = np.cumsum(count)
    below = np.interp(edges, np.ravel([lo, hi], "F"), np.ravel([total - count, total], "F"))
    below[0], below[-1] = 0, total[-1]
    return np.diff(below)
