"""Statistics of one tensor, taken in batch by batch; no batch is kept."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from qviz import xp
from qviz.observers.distinct import Distinct, DistinctState
from qviz.sources.captured.agreeing import channel_ends
from qviz.sources.captured.gathered import ChannelEnds, Gathered, packed
from qviz.stats.base import Batch
from qviz.stats.fourth import Fourth, FourthState
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax
from qviz.stats.moments import FIELDS, Moments, MomentsState
from qviz.stats.stream import Tile
from qviz.stats.tight import Tight, divided

_ONCE = (MinMax(), Moments(), Fourth())


class Tally:
    """What ``Gathered`` needs; the same numbers as if all batches were read at once.

    ``axis`` is that of the channels in a batch; there are none where batches do not agree on it,
    and of several batches none along axis 0, along which these are joined.
    """

    def __init__(self, first: Any, axis: int | None = None) -> None:
        x = xp.enter(first)
        self.axis = axis if axis is not None and axis < len(x.shape) else None
        self.dtype, self.kind = xp.dtype_name(x), xp.working_name(x)
        tile = Tile((Batch(x),))
        seen = gather(tile, (*_ONCE, Distinct(), Tight()))
        self._distinct: DistinctState = seen[Distinct()]
        self.shapes = [tuple(x.shape)]
        self._extremes = [packed(seen[MinMax()])]
        self._moments: MomentsState = seen[Moments()]
        self._fourth: FourthState = seen[Fourth()]
        self._tight, self._cells = divided(tile, seen[Tight()])
        self._channels = None if self.axis is None else channel_ends(x, self.axis)

    def add(self, batch: Any) -> None:
        """Take in one more batch. Raises QvizError where its elements are no real numbers."""
        x = xp.enter(batch)
        tile = Tile((Batch(x),))
        few = () if self._distinct.values is None else (Distinct(),)
        seen = gather(tile, (*_ONCE, *few, self._tight))
        self.shapes.append(tuple(x.shape))
        self._extremes.append(packed(seen[MinMax()]))
        with np.errstate(all="ignore"):  # float64 may overflow
            self._moments = Moments().merge(self._moments, seen[Moments()])
        self._fourth = Fourth().merge(self._fourth, seen[Fourth()])
        if few:
            self._distinct = Distinct().merge(self._distinct, seen[Distinct()])
        before, self._cells = self._cells, self._tight.merge(self._cells, seen[self._tight])
        if before.values is not None:
            self._tight, self._cells = divided(tile, self._cells, before)
        self._add_channels(x)

    def _add_channels(self, x: Any) -> None:
        if self._channels is None or self.axis is None:
            return
        lo, hi = self._channels
        self._channels = None
        if 0 < self.axis < len(x.shape) and x.shape[self.axis] == len(lo):
            low, high = channel_ends(x, self.axis)
            self._channels = np.minimum(lo, low), np.maximum(hi, high)

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
            ends = ChannelEnds(self.axis, *self._channels)
        sums, powers = self._moments, self._fourth
        moments = np.array([*(getattr(sums, f)[0] for f in FIELDS), powers.m3, powers.m4])
        few, found = self._distinct, self._cells
        shared = (np.array(self._extremes), moments, ends, few.values, few.counts)
        if found.values is not None:
            return Gathered(self.kind, *shared, np.sort(found.values).astype(np.float64))
        lows, highs = (v.astype(np.float64) for v in (found.lows, found.highs))
        return Gathered(self.kind, *shared, None, lows, highs, found.counts)
