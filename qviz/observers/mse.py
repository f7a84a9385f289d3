"""The range with the least squared error, each end moved by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.observers.absmax import AbsMaxObserver
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.landscape import NEEDS, Landscape
from qviz.observers.lattice import own_grid
from qviz.observers.percentile import PRESETS as PERCENTILES
from qviz.observers.percentile import PercentileObserver
from qviz.observers.search import least_error, tries
from qviz.observers.shrink import FACTORS, shrunk
from qviz.observers.sigma import PRESETS as SIGMAS
from qviz.observers.sigma import SigmaObserver
from qviz.quantizers.base import Target
from qviz.registry import Source
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments

SOURCE = Source("qviz", "neutral search for the least squared error", "1")
RIVALS: tuple[AbsMaxObserver | PercentileObserver | SigmaObserver, ...] = (
    AbsMaxObserver(),
    *(PercentileObserver(**knobs) for knobs in PERCENTILES.values()),
    *(SigmaObserver(**knobs) for knobs in SIGMAS.values()),
)
FEW_TRIES = 300  # below these only every fifth factor of the shrink search is tried
POINTS = 200  # of the curve on screen
SMALLEST = 2.0**-500  # squares of what is smaller, or larger than 1 / this, leave float64


@OBSERVERS.register("mse", title="MSE search", source=SOURCE)
@dataclass(frozen=True)
class MseObserver(Observer):
    """lo, hi with the least sum (x - x')^2 under the target's own mode.

    Two-dimensional for affine grids (step and zero point), one-dimensional for symmetric ones
    and for data of one sign. Also tries min-max and the ranges of the shrink, abs-max,
    percentile and sigma observers, so none of these does better; and the grid on which the data
    lie already, where they do. Of equal errors min-max wins. [0, 0] for a group without finite
    elements.
    """

    @property
    def needs(self) -> Needs:
        return (*NEEDS, Moments())

    @np.errstate(all="ignore")
    def range(self, seen: Seen, target: Target) -> Range:
        landscape, spread = Landscape.of(seen, target), seen[MinMax()]
        line = shrunk(seen, FACTORS if tries(landscape) >= FEW_TRIES else FACTORS[::5])
        rivals = [rival.range(seen, target) for rival in RIVALS]
        rivals.append(own_grid(landscape.cells, spread, target))
        lo = np.column_stack([line.lo, *(rival.lo for rival in rivals)])
        hi = np.column_stack([line.hi, *(rival.hi for rival in rivals)])
        return least_error(landscape, spread, Range(lo, hi))

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        chosen, amax = self.range(seen, target), float(seen[MinMax()].amax[:1].sum())
        best = float(np.maximum(-chosen.lo, chosen.hi)[:1].sum())
        if not SMALLEST < best < 1 / SMALLEST:
            return None
        clips = np.geomspace(best / 8, max(2 * best, 1.1 * amax), POINTS - 1)
        clips = np.sort(np.append(clips, best))[None]
        landscape = Landscape.of(seen, target).part(slice(0, 1))
        sqnr = landscape.sqnr(*(clips / best * end[0] for end in (chosen.lo, chosen.hi)))
        words = "Both ends move in proportion here; the least squared error is at the mark."
        return Decision(
            "clip, tensor units",
            "SQNR, dB",
            clips[0],
            {"SQNR": sqnr[0]},
            (best,),
            words,
            {"largest magnitude": amax},
            log_x=True,
        )
