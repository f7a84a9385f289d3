"""Channels in an order, and brought together into as many rows as a picture has room for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.errors import Errors

MOST_ROWS = 128


@dataclass(frozen=True, eq=False)
class ChannelRows:
    """Rows from top to bottom: row i holds the channels ``order[starts[i]:starts[i + 1]]``.

    ``group`` is the word for a channel, where these are groups of neighbours.
    """

    order: np.ndarray
    starts: np.ndarray
    group: str = "channel"

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def most(self) -> int:
        """Channels of the fullest row."""
        return int(np.diff(self.starts).max(initial=0))

    @cached_property
    def row_of(self) -> np.ndarray:
        """Row of each channel in ``order``."""
        return np.repeat(np.arange(self.count), np.diff(self.starts))

    def worst(self, values: np.ndarray) -> np.ndarray:
        """The channel with the least of ``values`` (channels,) in each row; NaN comes last."""
        known = np.where(np.isnan(values), np.inf, values)[self.order]
        first = np.lexsort((known, self.row_of))
        return self.order[first[self.starts[:-1]]]

    def least(self, values: np.ndarray) -> np.ndarray:
        """Least of ``values`` in each row, (rows,)."""
        return np.minimum.reduceat(values[self.order], self.starts[:-1])

    def greatest(self, values: np.ndarray) -> np.ndarray:
        """Greatest of ``values`` in each row, (rows,)."""
        return np.maximum.reduceat(values[self.order], self.starts[:-1])


def by_error(errors: Errors, amax: np.ndarray) -> np.ndarray:
    """Channels by SQNR, best first, those without energy last; ties by the larger magnitude."""
    values = np.where(np.isnan(errors.sqnr), -np.inf, errors.sqnr)
    return np.lexsort((np.arange(len(amax)), -amax, -values))


def by_range(found: ChannelMap) -> np.ndarray:
    """Channels by their largest magnitude, loudest first."""
    return np.lexsort((np.arange(found.channels), -found.amax))


def ranked(found: ChannelMap, by: str = "error") -> np.ndarray:
    """All channels from top to bottom: by ``error``, by ``range``, or by ``index``."""
    if by == "range":
        return by_range(found)
    return by_error(found.shared, found.amax) if by == "error" else np.arange(found.channels)


def in_rows(order: np.ndarray, most: int = MOST_ROWS, group: str = "channel") -> ChannelRows:
    """Channels of neighbouring rank brought together into at most ``most`` rows, as even as can be.

    >>> in_rows(np.arange(5), 2).starts.tolist()
    [0, 2, 5]
    """
    count = min(most, len(order))
    return ChannelRows(order, np.arange(count + 1) * len(order) // max(count, 1), group)
