"""Whether values, moments and sketch of one tensor tell of the same elements."""

from __future__ import annotations

from functools import reduce
from math import prod

import numpy as np

from qviz.sources.base import TensorInfo
from qviz.sources.captured.checking import SLACK
from qviz.sources.captured.gathered import FIELDS, Gathered, packed
from qviz.spec import Granularity
from qviz.stats.base import Batch
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Stream, Tile
from qviz.xp import Array

TINY = 1e-300  # powers below it lose digits
PIECE = 2**20  # elements that are looked at in one go
Pair = tuple[np.ndarray, np.ndarray]


def disagreement(info: TensorInfo, gathered: Gathered, values: np.ndarray) -> str:
    """What of the statistics is not that of these values, in a few words; empty where all is.

    Looked at are the extremes and counts of each batch, the extremes of each channel, and each
    single element of a tensor whose sorted values were kept.
    """
    if values.shape != info.shape:
        return "shape"
    parts = info.batched(values) if info.splits else [values]
    pairs = list(zip(map(_extremes, parts), gathered.extremes, strict=True))
    if off := [name for at, name in enumerate(FIELDS) if any(a[at] != b[at] for a, b in pairs)]:
        return ", ".join(off)
    ends = gathered.channels
    if ends is not None and not _same((ends.lo, ends.hi), channel_ends(values, ends.axis)):
        return "channels"
    if gathered.sorted is None:
        return ""
    kept, found = (_finite(x.astype(gathered.kind)) for x in (gathered.sorted, values))
    return "" if np.array_equal(kept, np.sort(found)) else "sorted values"


def contradiction(gathered: Gathered) -> str:
    """Which of the statistics contradict the sketch, in a few words; empty where none does."""
    cells = _cells(gathered)
    if not _few_agree(gathered, *cells):
        return "distinct values and their sketch"
    with np.errstate(all="ignore"):  # float64 may overflow
        return "" if _moments_agree(gathered.moments, *cells) else "moments and their sketch"


def channel_ends(values: Array, axis: int) -> Pair:
    """Extremes of the finite elements of each channel; inf, -inf without any."""
    if isinstance(values, np.ndarray) and values.size:
        # many times faster along one axis after the other than along both at once
        blocks = values.reshape(prod(values.shape[:axis]), values.shape[axis], -1)
        lo, hi = blocks.min(axis=2).min(axis=0), blocks.max(axis=2).max(axis=0)
        if np.isfinite(lo).all() and np.isfinite(hi).all():
            return lo.astype(np.float64) + 0.0, hi.astype(np.float64) + 0.0  # -0 becomes 0
    tiles = Stream.of([values], Granularity("per_channel", axis)).tiles
    parts = [gather(tile, (MinMax(),))[MinMax()] for tile in tiles]
    return np.concatenate([p.lo for p in parts]), np.concatenate([p.hi for p in parts])


def _extremes(batch: np.ndarray) -> np.ndarray:
    """The fields of ``MinMaxState``, some elements at a time: masks take memory."""
    flat = batch.reshape(-1)
    cuts = range(0, max(flat.size, 1), PIECE)
    return packed(reduce(MinMax().merge, (_state(flat[c : c + PIECE]) for c in cuts)))


def _state(piece: np.ndarray) -> MinMaxState:
    found: MinMaxState = gather(Tile((Batch(piece),)), (MinMax(),))[MinMax()]
    return found


def _finite(x: np.ndarray) -> np.ndarray:
    flat = x.reshape(-1)
    return flat[np.isfinite(flat)]


def _same(a: Pair, b: Pair) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def _cells(gathered: Gathered) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both ends of each cell, and how many elements it holds, as float64."""
    if gathered.sorted is not None:
        values = _finite(gathered.sorted)
        starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))[: len(values)]
        lows = highs = values[starts]
        counts = np.diff(starts, append=len(values))
    else:
        parts = (gathered.lows, gathered.highs, gathered.counts)
        lows, highs, counts = (np.zeros(0) if part is None else part for part in parts)
    return lows, highs, counts.astype(np.float64)


def _few_agree(gathered: Gathered, lows: np.ndarray, highs: np.ndarray, counts: np.ndarray) -> bool:
    """Whether the distinct values lie in the cells, as many as each holds."""
    values, repeats = gathered.distinct, gathered.repeats
    if values is None or repeats is None:
        return True
    at = np.searchsorted(lows, values, "right") - 1
    inside = bool((at >= 0).all()) and bool((values <= highs[at]).all())
    return inside and np.array_equal(np.bincount(at, repeats, len(counts)), counts)


def _moments_agree(
    moments: np.ndarray, lows: np.ndarray, highs: np.ndarray, counts: np.ndarray
) -> bool:
    """Whether each sum lies between those of the ends of the cells.

    Deviations are known to a millionth of the largest magnitude.
    """
    n, mean, m2, a1, m3, m4 = map(float, moments)
    if not len(lows):
        return True
    blur = SLACK * max(abs(float(lows[0])), abs(float(highs[-1])))
    below, above = lows - mean - blur, highs - mean + blur
    near, far = (end * end for end in _magnitudes(below, above))
    spans = (
        (n * mean, lows - blur, highs + blur),
        (a1, *_magnitudes(lows, highs)),
        (m2, near, far),
        (m3, below * below * below, above * above * above),
        (m4, near * near, far * far),
    )
    return all(_between(x, _sum(counts, low), _sum(counts, high), n) for x, low, high in spans)


def _sum(counts: np.ndarray, each: np.ndarray) -> float:
    return float(np.einsum("i,i", counts, each))  # a product of matrices would start threads


def _magnitudes(lows: np.ndarray, highs: np.ndarray) -> Pair:
    """The least and the greatest magnitude from each low to its high."""
    least = np.maximum(np.maximum(lows, -highs), 0.0)
    return least, np.maximum(np.abs(lows), np.abs(highs))


def _between(x: float, low: float, high: float, n: float) -> bool:
    """Whether a sum of n powers is not outside, as far as all of it is within float64."""
    slack = SLACK * max(abs(low), abs(high)) + TINY * n
    return not (x < low - slack or x > high + slack)
