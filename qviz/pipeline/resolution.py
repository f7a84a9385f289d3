"""Cells fine enough for the data: values that crowd inside a cell must not be smeared over it."""

from __future__ import annotations

import numpy as np

from qviz.observers.distinct import Distinct
from qviz.stats.base import NOTHING, Recipe, Seen
from qviz.stats.cells import Cells
from qviz.stats.gather import gather
from qviz.stats.sketch import Sketch, SketchState
from qviz.stats.stream import Tile

COARSE, FINE = Sketch(16), Sketch(20)
# Share of the elements by which neighbouring cells may differ beyond chance. The squared error
# is off by about its square: 0.02 dB at the first figure, 0.002 dB at the second.
ROUGH = {16: 0.1, 20: 0.02}
SMEARED = 0.004  # of the error of 8 bits over the whole range: 0.02 dB
TALLY = Distinct(2**20)  # values counted one by one where even 20 bits are too few


def roughness(cells: Cells) -> float:
    """How far the first group's counts are from smooth, 0 to about 2.

    Sum of |count - count expected from the left neighbour's density| beyond two standard
    deviations of chance, over the number of elements. Cells that are one value do not count.
    """
    return float(_excess(cells)[0].sum() / max(cells.total[0], 1))


def smear(cells: Cells) -> float:
    """What counts that are not smooth may add to the squared error of 255 even steps, as a share.

    A value that is there over and over, such as a mask or a bound, is taken for its whole cell.
    Few of them weigh much where their cells are wide beside a step of the whole range.
    """
    excess, width = _excess(cells)
    there = cells.count[0] > 0
    if not len(excess) or not there.any():
        return 0.0
    lo, hi, count = (part[0][there] for part in (cells.lo, cells.hi, cells.count))
    step = (float(hi.max()) - float(lo.min())) / 255
    noise = float((count * np.minimum(((lo + hi) / 2) ** 2, step * step / 12)).sum())
    return float((excess * width * width).sum() / 4 / noise) if noise > 0 else 0.0


def _excess(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Elements of wide cells beyond what is smooth, and the widths of these cells."""
    wide = cells.hi[0] > cells.lo[0]
    lo, hi, count = (part[0][wide] for part in (cells.lo, cells.hi, cells.count))
    if not len(count):
        return np.zeros(0), np.zeros(0)
    width = hi - lo
    touch = lo[1:] - hi[:-1] <= 0.01 * width[:-1]
    ratio = np.where(touch, width[1:] / width[:-1], 0.0)
    left, right = np.append(count[:-1] * ratio, 0.0), np.append(count[1:], 0.0)
    lone = np.append(np.where(touch, 0.0, count[:-1]), count[-1])  # nothing follows on the right
    spread = 2 * np.sqrt(right + left * np.append(ratio, 0.0))
    excess = np.maximum(np.abs(right - left) - spread, 0.0)
    excess += np.maximum(lone - 2 * np.sqrt(lone), 0.0)
    excess[0] += max(count[0] - 2 * np.sqrt(count[0]), 0.0)
    return excess, width


def resolved(tile: Tile, seen: Seen) -> Seen:
    """What was seen, with the cells that this data needs in place of the coarse ones.

    Of one group: 20 bits where the counts of the 16-bit cells are not smooth; the values
    themselves, counted, where those of the 20-bit cells are not either and are at most 2^20.
    """
    state = seen[COARSE]
    settled = state.exact or state.bits == FINE.bits or tile.groups > 1
    if settled or not _smears(state.cells, COARSE.bits):
        return seen
    seen = gather(tile, (FINE,), seen)
    fine = seen[FINE]
    if _smears(fine.cells, FINE.bits):
        tally = gather(tile, (TALLY,), NOTHING)[TALLY].cells
        if tally is not None:
            fine = SketchState(fine.kind, FINE.bits, fine.n, True, tally=tally)
    states: dict[Recipe, object] = {**seen.states, COARSE: fine}
    return Seen(states, seen.batches)


def is_rough(seen: Seen) -> bool:
    """Whether even the finest cells smear values that crowd together: judge each instead."""
    state = seen[COARSE]
    return not state.exact and state.bits == FINE.bits and _smears(state.cells, FINE.bits)


def _smears(cells: Cells, bits: int) -> bool:
    return roughness(cells) > ROUGH[bits] or smear(cells) > SMEARED
