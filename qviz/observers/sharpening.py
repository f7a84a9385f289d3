"""Cells whose ends are the data's own."""

from __future__ import annotations

import numpy as np

from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMaxState


def sharpened(cells: Cells, spread: MinMaxState) -> Cells:
    """Wide cells cut to [min, max], with one element at each of the two; exact cells as they are.

    With many codes the step is narrower than a cell: without this a search would widen the
    range to the last cell's edge.
    """
    if cells.exact or cells.lo.shape[1] == 0:
        return cells
    full = spread.finite > 0
    low, high = (np.where(full, end, 0.0)[:, None] for end in (spread.lo, spread.hi))
    lo, hi = (np.clip(edges, low, high) for edges in (cells.lo, cells.hi))
    there, count = cells.count > 0, cells.count.copy()
    row, total = np.arange(cells.groups), cells.total
    ends = [np.minimum(total, 1), np.clip(total - 1, 0, 1)]
    last = there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
    for at, taken in zip((there.argmax(axis=1), last), ends, strict=True):
        count[row, at] -= taken
    return Cells(
        np.concatenate([low, lo, high], axis=1),
        np.concatenate([low, hi, high], axis=1),
        np.concatenate([ends[0][:, None], count, ends[1][:, None]], axis=1),
        cells.exact,
        cells.dtype,
    )
