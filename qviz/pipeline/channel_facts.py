"""What is known of the channels of a tensor: where they lie, and what their steps cost them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qviz.pipeline.errors import Errors
from qviz.spec import Granularity, Range
from qviz.stats.minmax import MinMaxState
from qviz.stats.value_counts import ValueCountsState

LOUD = 4.0  # times the median channel, from which a largest magnitude stands out
NEAR_DEAD = 1e-4  # of the median channel's largest magnitude
HALF = 0.5
NOTES = ("loud", "all become 0", "near-dead", "dead", "no finite value")


@dataclass(frozen=True, eq=False)
class ChannelMap:
    """Channels of a tensor along one axis; arrays are (channels,).

    ``facts`` are extremes and counts, ``counts`` says where the values lie. ``shared`` are the
    errors under steps that all channels share (one for the tensor, or one for each token),
    ``own`` under a range of their own. ``range`` is what the shared grid covers and ``step`` its
    step: of several, the widest and the median; None where the grid is not even. ``codes`` and
    ``own_codes`` count the distinct codes of each channel's finite elements, -1 where they were
    not counted or there is none; ``quiet_codes`` those of all channels that are not loud. All is
    exact, but for a ``range`` that an observer read off a sketch (``exact`` is then False).
    """

    axis: int
    granularity: Granularity
    facts: MinMaxState
    counts: ValueCountsState
    shared: Errors
    own: Errors
    codes: np.ndarray
    own_codes: np.ndarray
    quiet_codes: int
    range: Range
    step: float | None
    levels: np.ndarray
    exact: bool

    @property
    def channels(self) -> int:
        """Number of channels."""
        return len(self.facts.n)

    @property
    def amax(self) -> np.ndarray:
        """Largest magnitude of each channel."""
        return self.facts.amax

    @cached_property
    def median(self) -> float:
        """Largest magnitude of the median channel, of those that have any."""
        return median_of(self.amax)

    @cached_property
    def loud(self) -> np.ndarray:
        """Which channels set the step: see ``loud_channels``."""
        return loud_channels(self.amax)

    @cached_property
    def quiet(self) -> float:
        """SQNR of all channels that are not loud, taken together, in dB."""
        return self.shared.together(~self.loud)

    @property
    def empty(self) -> np.ndarray:
        """Channels without a finite element: nothing is known of them."""
        return self.facts.finite == 0

    @property
    def dead(self) -> np.ndarray:
        """Channels without energy: their finite elements are all 0."""
        return ~self.empty & (self.shared.nonzero == 0)

    @property
    def near_dead(self) -> np.ndarray:
        """Channels below 1e-4 of the median channel, but not dead."""
        return (self.shared.nonzero > 0) & (self.amax < NEAR_DEAD * self.median)

    @property
    def erased(self) -> np.ndarray:
        """Channels of which nothing but 0 comes back, though they are not dead."""
        return (self.shared.nonzero > 0) & (self.shared.zeroed == self.shared.nonzero)

    @property
    def told(self) -> np.ndarray:
        """What sets each channel apart, in words, empty where nothing does; (channels,) object."""
        notes = np.full(self.channels, "", dtype=object)
        marks = (self.loud, self.erased, self.near_dead, self.dead, self.empty)
        for mark, note in zip(marks, NOTES, strict=True):
            notes[mark] = note
        both = self.near_dead & self.erased
        notes[both] = f"{NOTES[2]}, {NOTES[1]}"
        return notes


def median_of(amax: np.ndarray) -> float:
    """Median of the largest magnitudes other than 0; 0 where all are 0."""
    return float(np.median(amax[amax > 0])) if (amax > 0).any() else 0.0


def loud_channels(amax: np.ndarray) -> np.ndarray:
    """Channels above half of the largest one, where that is at least 4 times the median.

    Without them the shared step would be at most half as wide. None where channels are alike.
    """
    largest = amax.max(initial=0.0)
    if largest < LOUD * median_of(amax) or largest == 0:
        return np.zeros(amax.shape, bool)
    return amax > HALF * largest
