"""What the doctor's pictures show of a case: a few arrays, whatever the size of the tensor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from qviz.doctor.case import BATCHES, Case
from qviz.doctor.gains import outcome_of
from qviz.doctor.settings import present
from qviz.errors import QvizError
from qviz.figures.bins import LARGEST, Bins, full, linear_bins
from qviz.models.alone import Outcome
from qviz.spec import Range
from qviz.stats.cells import Cells

T = TypeVar("T")
COUNT = 200  # bins of the histogram
CODES = 512  # codes that are counted at most
Pair = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known of a case; None where it is not known or does not apply.

    ``bins`` hold the data and the ranges; ``step`` is that of the whole tensor; ``counts`` are
    elements per code from ``ends[0]`` on; ``amax`` and ``used`` are largest magnitudes and codes
    of each channel along ``axis``; ``batch_amax`` largest magnitudes of each batch; ``now`` is
    what reaches the output of the model, where it was run.
    """

    data: Pair | None = None
    asked: Pair | None = None
    covered: Pair | None = None
    bins: Bins | None = None
    step: float | None = None
    zero_point: int = 0
    ends: tuple[int, int] | None = None
    counts: np.ndarray | None = None
    amax: np.ndarray | None = None
    axis: int | None = None
    used: np.ndarray | None = None
    batch_amax: np.ndarray | None = None
    sqnr: float | None = None
    now: Outcome | None = None


def facts_of(case: Case) -> Facts:
    """Everything a picture may need. Never raises a QvizError."""
    with np.errstate(all="ignore"):
        if case.codes is not None and case.stream is None:
            return _of_codes(case.codes)
        data, row = _known(lambda: case.ends), _known(lambda: case.row)
        asked = None if row is None else _ends(row.range)
        covered = None if row is None else _ends(row.covered)
        grid = _known(lambda: case.grid)
        return Facts(
            data, asked, covered,
            bins=_known(lambda: _bins(case.cells, [data, asked, covered])),
            step=None if grid is None else float(grid.step[0]),
            zero_point=0 if grid is None else int(grid.zero_point[0]),
            ends=None if grid is None else grid.ends,
            counts=_known(lambda: _counts(case)),
            amax=_known(lambda: None if case.channels is None else case.channels.amax),
            axis=_known(lambda: case.channel_axis),
            used=_known(lambda: _used(case)),
            batch_amax=_known(lambda: _batches(case)),
            sqnr=_known(lambda: case.metric("sqnr")),
            now=_known(lambda: outcome_of(case, present(case))),
        )  # fmt: skip


def _known(make: Callable[[], T]) -> T | None:
    try:
        return make()
    except QvizError:
        return None


def _ends(bound: Range | None) -> Pair | None:
    """The widest of all groups; None where it is not finite."""
    if bound is None or not len(bound.lo):
        return None
    lo, hi = float(np.min(bound.lo)), float(np.max(bound.hi))
    return (lo, hi) if np.isfinite([lo, hi]).all() else None


def _bins(cells: Cells, pairs: list[Pair | None]) -> Bins | None:
    """Counts over the data and every range, with a little air."""
    if not cells.total.any():
        return None
    lo, hi = full(cells)
    there = [pair for pair in pairs if pair is not None]
    lo = max(min([lo, *(1.02 * a if a < 0 else a for a, _ in there)]), -LARGEST)
    hi = min(max([hi, *(1.02 * b if b > 0 else b for _, b in there)]), LARGEST)
    return linear_bins(cells, lo, hi, COUNT)


def _counts(case: Case) -> np.ndarray | None:
    grid = case.grid
    low, high = grid.ends
    if high - low >= CODES:
        return None
    cells = case.cells
    codes = grid.quantize((cells.lo[:1] + cells.hi[:1]) / 2)[0].astype(np.int64) - low
    return np.bincount(codes, cells.count[0], minlength=high - low + 1)


def _of_codes(codes: np.ndarray) -> Facts:
    limits = np.iinfo(codes.dtype)
    first, last = int(limits.min), int(limits.max)
    if not codes.size or last - first >= CODES:
        return Facts(ends=(first, last))
    counts = np.bincount(codes.reshape(-1).astype(np.int64) - first, minlength=last - first + 1)
    return Facts(ends=(first, last), counts=counts.astype(np.float64))


def _used(case: Case) -> np.ndarray | None:
    """Codes that occur in each channel's sample, under one step for the tensor."""
    there, made = case.channels, case.row.quantizer
    if there is None or made is None or not case.per_tensor or not there.matrix.size:
        return None
    x = there.matrix
    codes = np.sort(made.quantize(x.reshape(1, -1)).reshape(x.shape), axis=0)
    return 1 + (np.diff(codes, axis=0) != 0).sum(axis=0)


def _batches(case: Case) -> np.ndarray | None:
    if case.stream is None or len(case.stream.batches) < 2:
        return None
    return np.array([float(state.amax[0]) for state in case.seen[BATCHES]])
