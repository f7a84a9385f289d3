"""One factor on the whole range: the share of it with the least squared error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.landscape import NEEDS, Landscape
from qviz.quantizers.base import Target
from qviz.registry import Source
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral shrink search", "1")
FACTORS = np.arange(100, 0, -1) / 100


@OBSERVERS.register("shrink", title="Shrink", source=SOURCE)
@dataclass(frozen=True)
class ShrinkObserver(Observer):
    """lo, hi = f * min x, f * max x, with f of 0.01, 0.02 .. 1 the least squared error's.

    Of equal errors the larger factor wins. Both ends move together, so the MSE search, which
    moves each by itself, does as well or better. [0, 0] for a group without finite elements.
    """

    @property
    def needs(self) -> Needs:
        return NEEDS

    def range(self, seen: Seen, target: Target) -> Range:
        line, landscape = shrunk(seen), Landscape.of(seen, target)
        found = landscape.errors(line.lo, line.hi)
        best = found.argmin(axis=1)[:, None]
        lo, hi = (np.take_along_axis(end, best, 1)[:, 0] for end in (line.lo, line.hi))
        return Range(lo, hi, landscape.cells.exact)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        if not seen[MinMax()].finite[:1].any():
            return None
        line, first = shrunk(seen), slice(0, 1)
        landscape = Landscape.of(seen, target).part(first)
        sqnr = landscape.sqnr(line.lo[first], line.hi[first])[0]
        best = float(FACTORS[sqnr.argmax()])
        words = f"Of 100 factors on min and max, {best:g} leaves the least squared error."
        curves = {"SQNR": sqnr[::-1]}
        return Decision("factor on min and max", "SQNR, dB", FACTORS[::-1], curves, (best,), words)


def shrunk(seen: Seen, factors: np.ndarray = FACTORS) -> Range:
    """The whole range times each factor, (groups, factors); 0 without finite elements."""
    spread = seen[MinMax()]
    lo, hi = (np.where(spread.finite > 0, v, 0.0)[:, None] for v in (spread.lo, spread.hi))
    return Range(lo * factors, hi * factors)
