"""The data's own step: values that lie on a grid already, such as codes, pixels or counts."""

from __future__ import annotations

import numpy as np

from qviz.quantizers.base import Target
from qviz.spec import Range
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMaxState


def own_grid(cells: Cells, spread: MinMaxState, target: Target) -> Range:
    """The range whose step divides the data's own, (groups,); [min, max] where none can.

    The own step d is (max - min) / K, K being the whole number nearest to (max - min) over the
    least gap between two values. The step asked for is d / j, with the greatest whole j for
    which the codes still reach as far as the data: where every value is a multiple of d, nothing
    is lost. For exact cells; others give [min, max].
    """
    lo, hi = (np.where(spread.finite > 0, end, 0.0) for end in (spread.lo, spread.hi))
    ends, codes = Range(lo, hi), target.spec.levels - 1
    probe = target.mode.quantizer(Range(-np.ones(1), np.ones(1)), target.spec).step
    if not cells.exact or probe is None:
        return ends
    with np.errstate(all="ignore"):
        own = (hi - lo) / np.rint((hi - lo) / _least_gap(cells))
        wide = np.maximum(hi, 0.0) - np.minimum(lo, 0.0)
        needed = np.maximum(-lo, hi) * probe if target.spec.symmetric else wide / codes
        step = own / np.floor(own / needed * (1 + 2.0**-30))
        below = np.rint(np.maximum(-lo, 0.0) / step)
        grid = (-below * step, (codes - below) * step)
        grid = (-step / probe, step / probe) if target.spec.symmetric else grid
    there = np.isfinite(step) & (step > 0)
    return Range(np.where(there, grid[0], lo), np.where(there, grid[1], hi))


def _least_gap(cells: Cells) -> np.ndarray:
    """Least distance between two values of each group; inf where there is but one."""
    gap = np.diff(np.where(cells.count > 0, cells.lo, np.nan), axis=1)
    return np.where(gap > 0, gap, np.inf).min(axis=1, initial=np.inf)
