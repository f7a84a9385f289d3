"""Masks: values far beyond all others that are no data, and the case without them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qviz import xp
from qviz.doctor.axes import ENOUGH
from qviz.doctor.case import Case
from qviz.doctor.rules.known_range import softmax_rows
from qviz.observers.base import Needs, Observer
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import PER_TENSOR
from qviz.stats.base import NOTHING, Seen
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream
from qviz.xp import Array

HUGE = 1e30  # beyond it a value is a mask, not data
APART = 100.0  # times all others, that masks are away
TOGETHER = 0.9  # of the largest magnitude: masks lie above
FEW = 3  # values that may be there by chance
OFTEN = 1e-3  # share of the values from which far ones are masks, not outliers
LARGE = 9e3  # magnitude from which far values may be masks although they vary: -1e4 and beyond
ALIKE = 4.0  # times the reach of the others, within which masks lie that were added to data
MANY = 0.5  # share of the values, over which far ones are what the tensor is about
NEAR = 2.0  # times the reach of the data, that a range without masks covers at most
KEPT, BARE = "data beside masks", "without masks"  # what a case keeps once it was looked at


@dataclass(frozen=True, eq=False)
class Held(Observer):
    """The quantizer that the case has now, whatever the data."""

    quantizer: Quantizer

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def range(self, seen: Seen, target: Target) -> Quantizer:
        return self.quantizer


@dataclass(frozen=True, eq=False)
class Parts:
    """Cells by magnitude: ``far`` ones, all ``others``; ``largest`` of all and ``reach`` of these.

    Where a magnitude is over 1e30 all beyond are far, else those within 10 % of the largest.
    """

    far: np.ndarray
    others: np.ndarray
    largest: float
    nearest: float
    reach: float

    @staticmethod
    def of(case: Case, among: np.ndarray | None = None) -> Parts:
        """Those of all finite elements, or of some cells. Raises QvizError where none is finite."""
        cells, (lo, hi) = case.cells, case.ends
        size = np.maximum(np.abs(cells.lo[0]), np.abs(cells.hi[0]))
        there = cells.count[0] > 0 if among is None else among
        largest = max(-lo, hi) if among is None else float(size[there].max(initial=0.0))
        far = there & (size >= (HUGE if largest > HUGE else TOGETHER * largest))
        nearest, reach = size[far].min(initial=largest), size[there & ~far].max(initial=0.0)
        return Parts(far, there & ~far, largest, float(nearest), float(reach))

    @property
    def apart(self) -> bool:
        """Whether all others are 100 times smaller, and not all 0: two values are no mask."""
        return 0 < self.reach < self.nearest / APART

    @property
    def together(self) -> bool:
        """Whether the far ones are about one magnitude."""
        return self.nearest >= TOGETHER * self.largest


def data(case: Case) -> np.ndarray | None:
    """Cells of what is data, where all others are masks; None where there are none."""
    if KEPT not in case.known:
        case.known[KEPT] = _data(case)
    return case.known[KEPT]


def masked(case: Case) -> bool:
    """Whether the largest magnitudes are masks: what channels then differ by is no matter."""
    return data(case) is not None


def reach(case: Case, usual: np.ndarray) -> tuple[float, float]:
    """Smallest and largest of what these cells hold."""
    return float(case.cells.lo[0][usual].min()), float(case.cells.hi[0][usual].max())


def unmasked(case: Case) -> Case:
    """The case without its masks under the grid it has now; the case itself where it has none."""
    usual = data(case)
    made = None if usual is None else case.row.quantizer
    if usual is None or made is None:
        return case
    if BARE not in case.known:
        far = max(map(abs, reach(case, usual)))
        stream = Stream.of([_without(batch, far) for batch in case.values.batches], PER_TENSOR)
        held = {"observer": Held(made), "given": None}
        case.known[BARE] = replace(case, stream=stream, have=NOTHING, known={}, **held)
    return case.known[BARE]


def left_out(case: Case) -> bool:
    """Whether the range that is covered now ends where the data does, beside masks."""
    usual, covered = data(case), case.row.covered
    if usual is None or covered is None:
        return False
    widest = max(float(np.abs(covered.lo).max()), float(np.abs(covered.hi).max()))
    return widest <= NEAR * max(map(abs, reach(case, usual)))


def _data(case: Case) -> np.ndarray | None:
    """Masks are taken off, one kind after the other, until what is left is data."""
    usual, parts = None, Parts.of(case)
    while _of_masks(case, parts):
        usual = parts.others
        parts = Parts.of(case, usual)
    return usual


def _of_masks(case: Case, parts: Parts) -> bool:
    """Whether the far ones are masks: beyond 1e30, or one value over and over.

    Real masks are one constant, or large. What fills whole channels or rows is data, as are most
    of the values, but for a large negative constant (to which scores may have been added): so are
    places masked where nothing follows.
    """
    if not parts.apart or parts.largest > HUGE:
        return parts.apart
    count = case.cells.count[0]
    number, all_of_them = count[parts.far].sum(), count[parts.far | parts.others].sum()
    if number <= max(FEW, OFTEN * all_of_them) or softmax_rows(case) is not None:
        return False
    lo, hi, whole = _far(case, parts)
    large = parts.nearest >= LARGE
    if large and hi < 0 and hi - lo <= ALIKE * parts.reach:
        return True
    if whole or number > MANY * all_of_them:
        return False
    return large or (lo == hi and abs(lo) > 1)


def _far(case: Case, parts: Parts) -> tuple[float, float, bool]:
    """Smallest and largest of the far values; whether they fill channels or rows, and no more."""
    lo, hi, ways = np.inf, -np.inf, None
    least, most = (parts.nearest + parts.reach) / 2, parts.largest
    for batch in case.values.batches:
        x = xp.host(xp.working(batch))
        size = np.abs(x)
        far = (size > least) & (size <= most)
        lo, hi = min(lo, float(x[far].min(initial=np.inf))), max(hi, _max(x[far]))
        filled = _filled(far)
        ways = filled if ways is None or len(filled) != len(ways) else ways & filled
    return lo, hi, bool(ways is not None and ways.any())


def _max(x: np.ndarray) -> float:
    return float(x.max(initial=-np.inf))


def _filled(far: np.ndarray) -> np.ndarray:
    """Of each axis whether its channels are far as a whole or not at all; so of rows, and maps.

    Parts of fewer than 8 elements are so by chance.
    """
    axes = range(far.ndim)
    parts = [tuple(a for a in axes if a != axis) for axis in axes]
    parts += [tuple(axes[-deep:]) for deep in range(1, far.ndim)]
    return np.array([_whole(far, part) for part in parts], bool)


def _whole(far: np.ndarray, part: tuple[int, ...]) -> bool:
    """Whether all or nothing is far along these axes."""
    long = np.prod([far.shape[axis] for axis in part]) >= ENOUGH if part else False
    return bool(long and np.array_equal(far.all(axis=part), far.any(axis=part)))


def _without(batch: Array, far: float) -> np.ndarray:
    """Masks become NaN, which nothing counts."""
    x = xp.host(xp.working(batch))
    return np.where(np.abs(x) <= far, x, np.nan).astype(x.dtype, copy=False)
