"""Metrics over the channels of a tensor: they take the totals of channel rows, one group each.

A channel without energy is dead; it is counted apart and never the worst.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.metrics.base import METRICS, Totals
from qviz.metrics.error import sqnr
from qviz.registry import Source

SOURCE = Source("qviz", "metrics: channels", "1")
LOW = 10.0  # dB: below it a channel is noise more than signal to most layers


@dataclass(frozen=True)
class ChannelSummary:
    """How the channels fare under one set of qparams.

    ``worst`` is the lowest SQNR of a channel in dB and ``index`` that channel; both are None
    where every channel is dead or comes back exactly.
    """

    worst: float | None
    index: int | None
    below_10_db: int
    dead: int


def channel_summary(totals: Totals) -> ChannelSummary:
    """Lowest SQNR and where it is, channels below 10 dB, dead channels."""
    values = sqnr(totals)
    some = np.isfinite(values)
    index = int(np.argmin(np.where(some, values, np.inf))) if some.any() else None
    return ChannelSummary(
        None if index is None else float(values[index]),
        index,
        int((values < LOW).sum()),
        int((totals.xx == 0).sum()),
    )


@METRICS.register(
    "worst_channel",
    title="Worst channel",
    source=SOURCE,
    unit="dB",
    better="high",
    decimals=1,
    rows="channel",
    absent="no channel has energy",
)
def worst_channel(t: Totals) -> np.ndarray:
    """Lowest SQNR of a channel, in dB, (1,); +inf where every channel comes back exactly."""
    values = sqnr(t)
    there = ~np.isnan(values)
    return np.array([values[there].min() if there.any() else np.nan])


@METRICS.register(
    "below_10_db",
    title="Below 10 dB",
    source=SOURCE,
    unit="channels",
    better="low",
    decimals=0,
    rows="channel",
)
def below_10_db(t: Totals) -> np.ndarray:
    """Number of channels whose SQNR is below 10 dB, (1,)."""
    return np.array([float((sqnr(t) < LOW).sum())])
