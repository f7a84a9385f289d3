"""TI's PACT2 as an observer: a running range of activations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from qviz.dialects.ti.dialect import PACT2
from qviz.dialects.ti.histogram import SharesState, TiHistogram
from qviz.dialects.ti.pact2 import START, moved
from qviz.dialects.ti.percentile import Ends, shrunk
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen


def followed(batches: Iterable[Ends]) -> list[np.ndarray]:
    """Clips after each batch, float32 (2,)."""
    path, clips = [], np.array([-START, START], np.float32)
    for counter, batch in enumerate(batches):
        clips = moved(clips, batch, counter)
        path.append(clips)
    return path


@OBSERVERS.register("ti.pact2", title="TI PACT2", source=PACT2, golden="ti.pact2")
@dataclass(frozen=True)
class Pact2Observer(Observer):
    """Running clips of PACT2: the second batch replaces the first, then a mean, then an EMA.

    Each batch's range is that of ``ti.percentile``; its share is 1, 1, 1/2, 1/3 ... 0.001.
    """

    range_shrink_activations: float = knob(
        0.01, low=0.0, high=49.9, help="percent of the elements cut on each side of a batch"
    )
    fast_mode: bool = knob(True, help="read every second row and column of 4-D batches")
    seed: int = knob(0, low=0, high=9999, help="of the row and column starts in fast mode")

    @property
    def needs(self) -> Needs:
        return (self._recipe,)

    def accepts(self, target: Target) -> str | None:
        if target.granularity.kind != "per_tensor":
            return "TI's range utilities are per tensor only"
        return None

    def range(self, seen: Seen, target: Target) -> Range:
        state: SharesState = seen[self._recipe]
        if not state.batches:
            raise QvizError("There is no finite element to take a range from.")
        path = followed(shrunk(b, self.range_shrink_activations) for b in state.batches)
        lo, hi = path[-1]
        return Range(np.asarray(lo), np.asarray(max(lo, hi)))

    @property
    def _recipe(self) -> TiHistogram:
        thinned = self.fast_mode and self.range_shrink_activations > 0
        return TiHistogram(thinned, self.seed if thinned else 0)
