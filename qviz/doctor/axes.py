"""Along which axis the channels of a tensor lie, and how far they are apart."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from qviz import xp
from qviz.pipeline.channel_facts import median_of
from qviz.pipeline.clipping_where import spreads
from qviz.spec import Granularity, Role
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Stream
from qviz.xp import Array

ENOUGH = 8  # elements from which a channel's largest magnitude says something
MANY = 16  # times as many channels as each has elements: these are no channels


def custom_axis(rank: int, role: str) -> int:
    """Where channels lie by custom: 0 in weights, 1 in images, last in other activations."""
    if role != Role.ACTIVATION:
        return 0
    return 1 if rank == 4 else rank - 1


def extremes_along(stream: Stream, axis: int) -> MinMaxState:
    """Extremes and counts of each channel, all elements read."""
    along = Stream.of(list(stream.batches), Granularity("per_channel", axis))
    parts = [gather(tile, (MinMax(),))[MinMax()] for tile in along.tiles]
    names = [field.name for field in fields(MinMaxState)]
    return MinMaxState(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def apart(amax: np.ndarray) -> float:
    """Largest over median magnitude of channels that are not dead; 0 where all are."""
    median = median_of(amax)
    return float(amax.max(initial=0.0)) / median if median > 0 else 0.0


def spread_along(stream: Stream) -> tuple[float, ...]:
    """Of each axis of a batch how far its channels are apart; 0 where they are too short."""
    shapes = {tuple(batch.shape) for batch in stream.batches}
    if len({len(shape) for shape in shapes}) > 1:
        return ()
    first = stream.batches[0]
    total = xp.size(first)
    found = spreads(first)
    return tuple(
        apart(amax) if len(amax) > 1 and total // len(amax) >= ENOUGH else 0.0 for amax in found
    )


def most_apart(stream: Stream) -> int:
    """The axis of a batch along which channels differ most.

    Of an axis that is far longer than all others together the largest of so many short rows is
    far out by chance: it holds samples, or words, unless nothing else does.
    """
    found = np.array(spread_along(stream))
    shape = np.array(stream.batches[0].shape, float)
    if not len(found):
        return 0
    telling = shape <= MANY * shape.prod() / np.maximum(shape, 1)
    return int(np.argmax(np.where(telling, found, -1.0)))


def axis_of(stream: Stream, role: str, axis: int | None) -> int | None:
    """The axis given, counted from 0, else that of custom, else the one along which they differ.

    None where a batch has fewer than two axes, or not that one.
    """
    rank = min(len(batch.shape) for batch in stream.batches)
    if rank < 2 or (axis is not None and not -rank <= axis < rank):
        return None
    if axis is not None:
        return axis % rank
    return custom_axis(rank, role) if role != Role.UNKNOWN else most_apart(stream)


def thinned(x: Array, axis: int, most: int) -> Array:
    """About ``most`` elements of ``x``: slices of the longest axes, but never of ``axis``."""
    while xp.size(x) > most:
        others = [a for a in range(len(x.shape)) if a != axis and x.shape[a] > 1]
        if not others:
            break
        longest = max(others, key=lambda a: x.shape[a])
        stride = min(-(-xp.size(x) // most), x.shape[longest])
        x = x[(slice(None),) * longest + (slice(None, None, stride),)]
    return x
