"""Masks: values far beyond all others that are no data, and the case without them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qviz import xp
from qviz.doctor.case import Case
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
    def of(case: Case) -> Parts:
        """Those of all finite elements. Raises QvizError where there is none."""
        lo, hi = case.ends
        cells, largest = case.cells, max(-lo, hi)
        size = np.maximum(np.abs(cells.lo[0]), np.abs(cells.hi[0]))
        there = cells.count[0] > 0
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


def _data(case: Case) -> np.ndarray | None:
    parts, count = Parts.of(case), case.cells.count[0]
    often = count[parts.far].sum() > max(FEW, OFTEN * count.sum())
    return parts.others if parts.apart and (parts.largest > HUGE or often) else None


def _without(batch: Array, far: float) -> np.ndarray:
    """Masks become NaN, which nothing counts."""
    x = xp.host(xp.working(batch))
    return np.where(np.abs(x) <= far, x, np.nan).astype(x.dtype, copy=False)
