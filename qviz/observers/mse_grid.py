"""A hundred equally spaced clips, symmetric about 0: the plainest search for the least error."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.landscape import NEEDS, Landscape
from qviz.quantizers.base import Target
from qviz.registry import Source
from qviz.spec import QuantSpec, Range
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral grid of clips for the least squared error", "1")
RATIOS = np.arange(1, 101) / 100


@dataclass(frozen=True, eq=False)
class Grid:
    """Clips in input units and their mean squared errors, (groups, 100), float64."""

    clip: np.ndarray
    mse: np.ndarray

    @property
    def best(self) -> np.ndarray:
        """Index of the first least error, (groups,)."""
        return self.mse.argmin(axis=1)

    @property
    def chosen(self) -> np.ndarray:
        """The clip of the first least error, (groups,)."""
        return np.take_along_axis(self.clip, self.best[:, None], 1)[:, 0]


def grid(seen: Seen, bits: int) -> Grid:
    """Errors of clip = ratio * max|x| for ratios 0.01, 0.02 .. 1; needs ``NEEDS``.

    scale = clip / (2^(bits - 1) - 1), codes -2^(bits - 1) to 2^(bits - 1) - 1, half to even.
    """
    clip = seen[MinMax()].amax[:, None] * RATIOS
    target = Target.of(QuantSpec(bits, signed=True, symmetric=True))
    landscape = Landscape.of(seen, target)
    wide = Landscape(replace(landscape.cells, dtype="float64"), target)  # clips are not rounded
    total = np.maximum(landscape.cells.total, 1)[:, None]
    return Grid(clip, wide.errors(-clip, clip) / total)


@OBSERVERS.register("mse_grid", title="MSE grid", source=SOURCE, presets={})
@dataclass(frozen=True)
class MseGridObserver(Observer):
    """lo, hi = -c, c with c of 0.01, 0.02 .. 1 times max|x| the least squared error's.

    scale = c / (2^(bits - 1) - 1), codes -2^(bits - 1) to 2^(bits - 1) - 1, half to even, float64.
    Of equal errors the smallest clip wins. [0, 0] for a group without finite elements.

    Differs: the error is always that of signed symmetric codes, whatever the mode. The MSE search
    judges under the mode and moves each end by itself.
    """

    @property
    def needs(self) -> Needs:
        return NEEDS

    def accepts(self, target: Target) -> str | None:
        if target.spec.bits < 2:
            return "one bit leaves no code above 0: use 2 bits or more"
        return None

    def range(self, seen: Seen, target: Target) -> Range:
        clip = grid(seen, target.spec.bits).chosen
        return Range(0.0 - clip, clip)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        tried = grid(seen, target.spec.bits)
        if not tried.clip[:1].any() or not np.isfinite(tried.mse[:1]).all():
            return None
        best = float(tried.chosen[0])
        ratio = float(RATIOS[tried.best[0]])
        words = f"Of 100 clips that at {ratio:g} of the largest magnitude loses least."
        x_title, y_title = "clip, tensor units", "mean squared error, tensor units²"
        return Decision(x_title, y_title, tried.clip[0], {"MSE": tried.mse[0]}, (best,), words)
