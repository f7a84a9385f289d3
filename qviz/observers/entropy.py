"""The clip at which the quantized distribution stays closest to the data's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.cutting import CELLS, within_data
from qviz.observers.magnitudes import binned
from qviz.quantizers.base import Target
from qviz.registry import Source
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMax

SOURCE = Source("qviz", "neutral entropy search", "1")
MOST_BINS = 2048
CLIPS = 128  # clips tried below the largest magnitude, at most
BLOCK = 2**18  # numbers at a time


@dataclass(frozen=True, eq=False)
class _Tried:
    """Clips, widest first, and their divergences: (groups, clips)."""

    clip: np.ndarray
    divergence: np.ndarray

    @property
    def best(self) -> np.ndarray:
        """The clip of the least divergence, (groups,)."""
        at = self.divergence.argmin(axis=1)[:, None]
        return np.take_along_axis(self.clip, at, 1)[:, 0]


@OBSERVERS.register("entropy", title="Entropy", source=SOURCE)
@dataclass(frozen=True)
class EntropyObserver(Observer):
    """lo, hi = max(-t, min x), min(t, max x) with the clip t of the least divergence D(t).

    |x| without exact zeros is counted in B equal bins over [0, max|x|]; B is the largest power
    of two not above the number of elements, at most 2048. With N levels for magnitudes (half of
    all where the data have both signs or the grid is symmetric, else all) and i bins kept:
    p is the counts of the first i bins, all farther ones added to the last of them that is not
    empty; q shares the counts of the first i bins, without those, evenly among the bins of each
    level that are not empty, level j being bins floor(j i / N) up to floor((j + 1) i / N). Both
    are normalized, and D = sum p ln(p / q) in nats, infinite where the i bins hold less than half
    of what was counted: a single full bin would be a perfect match.
    t = i / B * max|x|, for i = B, B - k, B - 2 k .. down to N, with k = ceil((B - N) / 128). Of
    equal D the widest clip wins; with N >= B nothing is clipped. [0, 0] for a group without
    finite elements.
    """

    @property
    def needs(self) -> Needs:
        return (MinMax(), CELLS)

    def range(self, seen: Seen, target: Target) -> Range:
        spread, cells = seen[MinMax()], seen[CELLS].cells
        two_sided = (spread.lo < 0) & (spread.hi > 0) | target.spec.symmetric
        clip = np.zeros(cells.groups)
        for groups, levels in _classes(two_sided, target):
            if groups.any():
                clip[groups] = _tried(_part(cells, groups), spread.amax[groups], levels).best
        return within_data(-clip, clip, spread, cells.exact)

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        spread, first = seen[MinMax()], np.array([0])
        if not spread.finite[:1].any():
            return None
        two_sided = (spread.lo[0] < 0 < spread.hi[0]) or target.spec.symmetric
        levels = target.spec.levels // 2 if two_sided else target.spec.levels
        tried = _tried(_part(seen[CELLS].cells, first), spread.amax[first], levels)
        finite = np.isfinite(tried.divergence[0])
        if finite.sum() < 2:
            return None
        clip, divergence = (v[0][finite][::-1] for v in (tried.clip, tried.divergence))
        best = float(tried.best[0])
        words = f"Clipping at {best:.4g} changes the distribution of magnitudes least."
        return Decision(
            "clip, tensor units",
            "divergence, nats",
            clip,
            {"divergence": divergence},
            (best,),
            words,
            {"largest magnitude": float(spread.amax[0])},
        )


def _classes(two_sided: np.ndarray, target: Target) -> tuple[tuple[np.ndarray, int], ...]:
    """Groups, and the number of levels for their magnitudes."""
    return (two_sided, target.spec.levels // 2), (~two_sided, target.spec.levels)


def _part(cells: Cells, groups: np.ndarray) -> Cells:
    return Cells(cells.lo[groups], cells.hi[groups], cells.count[groups], cells.exact, cells.dtype)


def _tried(cells: Cells, amax: np.ndarray, levels: int) -> _Tried:
    elements = int(cells.total.max(initial=1))
    bins = min(MOST_BINS, 1 << (max(elements, 1).bit_length() - 1))
    if levels >= bins:
        return _Tried(amax[:, None], np.zeros((len(amax), 1)))
    stride = -(-(bins - levels) // CLIPS)
    kept = np.arange(bins, levels - 1, -stride)
    counts = binned(cells, amax, bins)
    tall = max(1, BLOCK // (len(kept) * (levels + 1)))
    blocks = [divergences(counts[g : g + tall], levels, kept) for g in range(0, len(counts), tall)]
    return _Tried(amax[:, None] * (kept / bins), np.concatenate(blocks))


def divergences(counts: np.ndarray, levels: int, kept: np.ndarray) -> np.ndarray:
    """D of each number of bins kept, (groups, kept), in nats; ``counts`` is (groups, bins).

    By sums over all bins before each: a level's terms of sum p ln q are one product.
    """
    before, occupied, own = (_before(v) for v in (counts, counts > 0, _xlogx(counts)))
    edges = np.arange(levels + 1) * kept[:, None] // levels
    inside, share = (np.diff(v[:, edges], axis=2) for v in (before, occupied))
    shared = np.log(np.where(share > 0, inside, 1.0) / np.maximum(share, 1))  # ln q, not normalized
    filled = np.where(counts > 0, np.arange(counts.shape[1]), 0)
    last = np.maximum.accumulate(filled, axis=1)[:, kept - 1]
    level = ((last + 1) * levels - 1) // kept
    end, at_end = np.take_along_axis(counts, last, 1), level[:, :, None]
    total, left = before[:, -1:], before[:, kept]
    tail = total - left
    cross = (inside * shared).sum(axis=2) + tail * np.take_along_axis(shared, at_end, 2)[:, :, 0]
    sums = own[:, kept] - _xlogx(end) + _xlogx(end + tail) - cross
    with np.errstate(all="ignore"):
        found = sums / total + np.log(left / total)
    return np.where((left > 0) & (left >= tail), np.maximum(found, 0.0), np.inf)


def _before(values: np.ndarray) -> np.ndarray:
    return np.pad(np.cumsum(values, axis=1, dtype=np.float64), ((0, 0), (1, 0)))


def _xlogx(values: np.ndarray) -> np.ndarray:
    return values * np.log(np.where(values > 0, values, 1.0))
