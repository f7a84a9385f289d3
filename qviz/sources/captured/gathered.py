"""What a capture keeps of one tensor: enough for observers, without its values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from qviz.observers.distinct import Distinct, DistinctState
from qviz.stats.base import PerBatch, Seen
from qviz.stats.cells import Cells
from qviz.stats.fourth import Fourth, FourthState
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.moments import Moments, MomentsState
from qviz.stats.sketch import Sketch, SketchState

BITS = 16  # of the sketch that it stands for
FIELDS = ("lo", "hi", "n", "nan", "plus_inf", "minus_inf", "zero", "subnormal")
_COUNTS = FIELDS[2:]


@dataclass(frozen=True, eq=False)
class ChannelEnds:
    """Extremes of each channel along ``axis`` of a batch, (channels,); inf, -inf without any."""

    axis: int
    lo: np.ndarray
    hi: np.ndarray

    @property
    def amax(self) -> np.ndarray:
        """Largest magnitude of each channel; 0 where there is no finite element."""
        there = self.lo <= self.hi
        return np.where(there, np.maximum(np.abs(self.lo), np.abs(self.hi)), 0.0)


@dataclass(frozen=True, eq=False)
class Gathered:
    """Statistics of one tensor over all its batches.

    ``extremes`` (batches, 8) are the fields of ``MinMaxState`` for each batch, ``moments`` (6,)
    those of ``MomentsState``, then sums of third and fourth powers of deviations. The
    distribution is either ``sorted`` values (elements,) or cells from ``lows`` to ``highs`` with
    ``counts``, each (cells,), both ends values that occur. ``kind`` is the float type in which
    elements are counted. ``distinct`` are its values, where they are at most 4,096, and
    ``repeats`` how often each occurs.
    """

    kind: str
    extremes: np.ndarray
    moments: np.ndarray
    channels: ChannelEnds | None
    distinct: np.ndarray | None = None
    repeats: np.ndarray | None = None
    sorted: np.ndarray | None = None
    lows: np.ndarray | None = None
    highs: np.ndarray | None = None
    counts: np.ndarray | None = None

    @property
    def exact(self) -> bool:
        """Whether every cell is a single value."""
        if self.lows is None or self.highs is None:
            return True
        return bool((self.lows == self.highs).all())

    @property
    def size(self) -> int:
        """Number of elements, those that are not finite included."""
        return int(self.extremes[:, 2].sum())

    def seen(self) -> Seen:
        """The states by recipe, as if they were gathered from the batches just now."""
        each = tuple(_extremes(row) for row in self.extremes)
        n, mean, m2, a1, m3, m4 = map(float, self.moments)
        moments = MomentsState(*(np.array([value]) for value in (n, mean, m2, a1)))
        states = {
            MinMax(): reduce(MinMax().merge, each),
            PerBatch(MinMax()): each,
            Moments(): moments,
            Fourth(): FourthState(n, mean, m2, m3, m4),
            Sketch(BITS): self._sketch(),
            Distinct(): self._distinct(),
        }
        return Seen(states, len(each))

    def _distinct(self) -> DistinctState:
        if self.distinct is None or self.repeats is None:
            return DistinctState(self.kind)
        return DistinctState(self.kind, np.asarray(self.distinct, self.kind), self.repeats)

    def _sketch(self) -> SketchState:
        if self.sorted is not None:
            values = np.asarray(self.sorted, self.kind)[None, :]
            return SketchState(self.kind, BITS, self.size, True, values=values)
        parts = (self.lows, self.highs, self.counts)
        lo, hi, count = (np.zeros((1, 0)) if v is None else v[None] for v in parts)
        cells = Cells(lo, hi, count, self.exact, self.kind)
        return SketchState(self.kind, BITS, self.size, self.exact, tally=cells)


def packed(state: MinMaxState) -> np.ndarray:
    """The fields of one group as a row of float64, (8,)."""
    return np.array([getattr(state, name)[0] for name in FIELDS], np.float64)


def _extremes(row: np.ndarray) -> MinMaxState:
    made = {name: np.array([value]) for name, value in zip(FIELDS, row, strict=True)}
    return MinMaxState(**made | {name: made[name].astype(np.int64) for name in _COUNTS})
