"""Along which axis the channels of a tensor lie, and how far they are apart."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from qviz import xp
from qviz.doctor.places import places
from qviz.pipeline.channel_facts import NEAR_DEAD, median_of
from qviz.pipeline.clipping_where import spreads
from qviz.spec import Granularity, Role
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Stream
from qviz.xp import Array

ENOUGH = 8  # elements from which a channel's largest magnitude says something
SHORT = 32  # elements of a channel below which it may be large or faint by chance
GAP = 4.0  # times from one channel to the next larger, below which lies a group of its own
CLEARLY = 2.0  # times as far apart as along axis 1, from which channels of images lie last
MANY = 16  # times as many channels as each has elements: these are no channels

LARGEST = float(np.finfo(np.float64).max)


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


def middle(amax: np.ndarray) -> float:
    """Median of the largest magnitudes other than 0, also where two of them add up to infinity."""
    return 2 * median_of(amax / 2)


def apart(amax: np.ndarray) -> float:
    """Largest over median magnitude of channels that are not dead; 0 where all are."""
    median = middle(amax)
    return min(float(amax.max(initial=0.0)) / median, LARGEST) if median > 0 else 0.0


def below(amax: np.ndarray) -> np.ndarray:
    """Channels, at most half, that lie a gap of 4 times below all others.

    Channels that fade step by step have no such gap: there is none at which they fall apart.
    Dead ones are none of them, nor are those as good as dead, below 1e-4 of the median channel.
    """
    median = middle(amax)
    there = amax > NEAR_DEAD * median
    alive = np.sort(amax[there])
    low = alive[alive < median]
    at = _gap(low, alive[1 : low.size + 1])
    return there & (amax <= low[at]) if at is not None else np.zeros(amax.shape, bool)


def above(amax: np.ndarray) -> np.ndarray:
    """Channels, at most half, that lie a gap of 4 times above all others that are not dead."""
    alive = np.sort(amax[amax > 0])
    high = alive[alive > middle(amax)]
    at = _gap(alive[-high.size - 1 : -1], high)
    return amax >= high[at] if at is not None else np.zeros(amax.shape, bool)


def _gap(lower: np.ndarray, upper: np.ndarray) -> int | None:
    """Where the widest gap is, of 4 times or more; None without one."""
    if not upper.size or upper.size != lower.size:
        return None
    with np.errstate(over="ignore"):
        gaps = upper / lower
    return int(gaps.argmax()) if gaps.max() >= GAP else None


def times_below(amax: np.ndarray) -> float:
    """Median over largest magnitude of the channels that lie a gap below; 0 where none do."""
    faint = amax[below(amax)]
    return middle(amax) / float(faint.max()) if faint.size else 0.0


def spread_along(stream: Stream) -> tuple[float, ...]:
    """Of each axis of a batch how far its channels are apart; 0 where they are too short.

    Loud ones count by their distance to the median, and so does a group that is faint.
    """
    return tuple(map(max, sides_along(stream)))


def sides_along(stream: Stream) -> tuple[tuple[float, float], ...]:
    """Of each axis how far the largest channel is above the median one, and a faint group below."""
    return _all_sides(stream, _largest(stream))


def _largest(stream: Stream) -> tuple[np.ndarray, ...]:
    """Largest magnitude at each index of each axis of the first batch; none if ranks differ."""
    several = len({len(batch.shape) for batch in stream.batches}) > 1
    return () if several else spreads(stream.batches[0])


def _all_sides(stream: Stream, found: tuple[np.ndarray, ...]) -> tuple[tuple[float, float], ...]:
    total = xp.size(stream.batches[0])
    return tuple(_sides(amax, total // max(len(amax), 1)) for amax in found)


def _sides(amax: np.ndarray, each: int) -> tuple[float, float]:
    """How far channels of ``each`` elements are above the median one, and below it."""
    if len(amax) < 2 or each < ENOUGH:
        return 0.0, 0.0
    return apart(amax), times_below(amax) if each >= SHORT else 0.0


def most_apart(stream: Stream) -> int:
    """The axis of a batch along which channels differ most.

    Of an axis that is far longer than all others together the largest of so many short rows is
    far out by chance: it holds samples, or words, unless nothing else does. Nor are rows and
    columns of images channels: what lies in the middle of all images makes both differ.
    """
    found, barred = _apart_and_places(stream)
    shape = np.array(stream.batches[0].shape, float)
    if not len(found):
        return 0
    telling = shape <= MANY * shape.prod() / np.maximum(shape, 1)
    return int(np.argmax(np.where(telling & ~barred, found, -1.0)))


def _of_image(stream: Stream) -> int:
    """The axis of channels of images: 1 by custom, the last if these differ clearly more."""
    found, barred = _apart_and_places(stream)
    if len(found) != 4 or barred[3]:
        return 1
    return 3 if barred[1] or found[3] > CLEARLY * found[1] else 1


def _apart_and_places(stream: Stream) -> tuple[np.ndarray, np.ndarray]:
    """Of each axis how far its channels are apart, and whether it holds places of an image."""
    largest = _largest(stream)
    found = np.array([max(sides) for sides in _all_sides(stream, largest)])
    return found, places(largest, found)


def axis_of(stream: Stream, role: str, axis: int | None) -> int | None:
    """The axis given, counted from 0, else that of custom, else the one along which they differ.

    None where a batch has fewer than two axes, or not that one.
    """
    rank = min(len(batch.shape) for batch in stream.batches)
    if rank < 2 or (axis is not None and not -rank <= axis < rank):
        return None
    if axis is not None:
        return axis % rank
    if role == Role.UNKNOWN:
        return most_apart(stream)
    return _of_image(stream) if role == Role.ACTIVATION and rank == 4 else custom_axis(rank, role)


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
