"""Statistics of one tensor, taken in batch by batch; no batch is kept."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import prod
from typing import Any

import numpy as np

from qviz import xp
from qviz.observers.distinct import Distinct, DistinctState
from qviz.sources.captured.gathered import BITS, MOMENTS, ChannelEnds, Gathered, packed
from qviz.spec import Granularity
from qviz.stats.base import Batch
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.moments import Moments, MomentsState
from qviz.stats.sketch import Sketch, SketchState
from qviz.stats.stream import Stream, Tile

_SKETCH = Sketch(BITS)
_RECIPES = (MinMax(), Moments(), _SKETCH, Distinct())


@dataclass(frozen=True, eq=False)
class _Sparse:
    """A sketch of counts, without the codes that do not occur: half a megabyte less."""

    state: SketchState
    codes: np.ndarray
    counts: np.ndarray

    @staticmethod
    def of(state: SketchState) -> _Sparse:
        counts = np.asarray(state.counts)[0]
        codes = np.flatnonzero(counts)
        lean = SketchState(state.kind, state.bits, state.n, state.exact)
        return _Sparse(lean, codes.astype(np.uint32), counts[codes])

    def dense(self) -> SketchState:
        counts = np.zeros((1, 1 << BITS), np.int64)
        counts[0, self.codes] = self.counts
        s = self.state
        return SketchState(s.kind, s.bits, s.n, s.exact, counts=counts)


class Tally:
    """What ``Gathered`` needs; the same numbers as if all batches were read at once.

    ``axis`` is that of the channels in a batch; there are none where batches do not agree on it.
    """

    def __init__(self, first: Any, axis: int | None = None) -> None:
        x = xp.enter(first)
        self.axis = axis if axis is not None and axis < len(x.shape) else None
        self.dtype, self.kind = xp.dtype_name(x), xp.working_name(x)
        seen = gather(Tile((Batch(x),)), _RECIPES)
        self._distinct: DistinctState = seen[Distinct()]
        self.shapes = [tuple(x.shape)]
        self._extremes = [packed(seen[MinMax()])]
        self._moments: MomentsState = seen[Moments()]
        self._sketch = _sparing(seen[_SKETCH])
        self._channels = None if self.axis is None else _ends(x, self.axis)

    def add(self, batch: Any) -> None:
        """Take in one more batch. Raises QvizError where its elements are no real numbers."""
        x = xp.enter(batch)
        seen = gather(Tile((Batch(x),)), _RECIPES)
        self.shapes.append(tuple(x.shape))
        self._extremes.append(packed(seen[MinMax()]))
        self._moments = Moments().merge(self._moments, seen[Moments()])
        self._distinct = Distinct().merge(self._distinct, seen[Distinct()])
        kept = self._sketch.dense() if isinstance(self._sketch, _Sparse) else self._sketch
        self._sketch = _sparing(_SKETCH.merge(kept, seen[_SKETCH]))
        self._add_channels(x)

    def _add_channels(self, x: Any) -> None:
        if self._channels is None or self.axis is None:
            return
        alike = len(x.shape) > self.axis and x.shape[self.axis] == len(self._channels.lo)
        self._channels = MinMax().merge(self._channels, _ends(x, self.axis)) if alike else None

    @property
    def joinable(self) -> bool:
        """Whether batches differ in axis 0 at most."""
        return len({shape[1:] for shape in self.shapes}) == 1 and self.shapes[0] != ()

    @property
    def splits(self) -> tuple[int, ...]:
        """Lengths of the batches along axis 0; their elements where they are joined flat."""
        return tuple(shape[0] if self.joinable else prod(shape) for shape in self.shapes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batches joined along axis 0; flat where they differ in more than that."""
        if len(self.shapes) == 1:
            return self.shapes[0]
        return (sum(self.splits), *(self.shapes[0][1:] if self.joinable else ()))

    def gathered(self) -> Gathered:
        """The statistics of all batches so far."""
        ends = None
        if (
            self._channels is not None
            and self.axis is not None
            and (self.joinable or len(self.shapes) == 1)
        ):
            ends = ChannelEnds(self.axis, self._channels.lo, self._channels.hi)
        moments = np.array([getattr(self._moments, name)[0] for name in MOMENTS])
        few, found = self._distinct, self._sketch
        shared = (np.array(self._extremes), moments, ends, few.values, few.counts)
        if isinstance(found, _Sparse):
            exact, codes, counts = found.state.exact, found.codes, found.counts
            return Gathered(self.kind, exact, *shared, None, codes, counts)
        return Gathered(self.kind, True, *shared, np.asarray(found.values, np.float64)[0])


def _sparing(state: SketchState) -> SketchState | _Sparse:
    return state if state.counts is None else _Sparse.of(state)


def _ends(x: Any, axis: int) -> MinMaxState:
    tiles = Stream.of([x], Granularity("per_channel", axis)).tiles
    parts = [gather(tile, (MinMax(),))[MinMax()] for tile in tiles]
    names = [field.name for field in fields(MinMaxState)]
    return MinMaxState(*(np.concatenate([getattr(p, n) for p in parts]) for n in names))
