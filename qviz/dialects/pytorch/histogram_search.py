"""The search of PyTorch's HistogramObserver: a greedy walk inwards, bin by bin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np

from qviz.dialects.pytorch.float32 import total
from qviz.xp import Array

STEP = 1e-5  # share of all elements that one step of the walk gives up on one side
EXACT = 2.0**22  # beyond, floor_divide's own rounding shows
TOGETHER = 8  # candidates judged at once; most walks end after fewer


@dataclass(frozen=True, eq=False)
class Walk:
    """Candidates in the order tried: first bin, last bin, error; the last may be rejected.

    ``start`` and ``end`` are the first and last bin of the range found, ``lo`` and ``hi`` its
    ends in float32.
    """

    starts: np.ndarray
    ends: np.ndarray
    errors: np.ndarray
    start: int
    end: int
    lo: np.float32
    hi: np.float32


def search(histogram: np.ndarray, lo: np.float32, hi: np.float32, levels: int) -> Walk:
    """Shrink [lo, hi] while the estimated squared error of ``levels`` codes does not grow."""
    with np.errstate(all="ignore"):
        tried = _tried(histogram, lo, hi, levels)
        bins = len(histogram)
        start, end, best = 0, bins - 1, np.inf
        for first, last, error in tried:
            if error > best:
                break
            start, end, best = first, last, error
        width = (hi - lo) / np.float32(bins)
        found = lo + width * np.float32(start), lo + width * np.float32(end + 1)
        starts, ends, errors = np.array(tried).reshape(-1, 3).T
    return Walk(starts.astype(np.int64), ends.astype(np.int64), errors, start, end, *found)


def _tried(
    histogram: np.ndarray, lo: np.float32, hi: np.float32, levels: int
) -> list[tuple[int, int, float]]:
    """Candidates with their errors, up to and with the first that is worse than the one before."""
    walk = _candidates(histogram)
    tried: list[tuple[int, int, float]] = []
    while block := list(islice(walk, TOGETHER)):
        starts, ends = np.array(block).T
        found = _errors(histogram, (lo, hi), levels, starts, ends)
        for (start, end), error in zip(block, found.tolist(), strict=True):
            tried.append((start, end, error))
            if len(tried) > 1 and error > tried[-2][2]:
                return tried
    return tried


def _candidates(histogram: np.ndarray) -> Iterator[tuple[int, int]]:
    """Where the walk goes as long as nothing is rejected: first and last bin.

    Either side gives up STEP of all elements at a time; the side that can move by more bins
    moves. Steps in which no bin is given up, all of the upper side, are passed over at once.
    """
    share = total(histogram[None])[0].astype(np.float64)
    sums = np.cumsum(histogram, dtype=np.float64).astype(np.float32)
    alphas, betas = _shares()
    start, end, i, j, falling = 0, len(histogram) - 1, 0, 0, None
    while start < end and j + 1 < len(betas) and alphas[i] < betas[j]:
        up, down = np.float32(alphas[i + 1] * share), np.float32(betas[j + 1] * share)
        left = min(max(start, int(np.searchsorted(sums, up))), end)
        right = max(start, min(end, int(np.searchsorted(sums, down, side="right")) - 1))
        if left - start > end - right:
            start, i = left, i + 1
        elif right < end:
            end, j = right, j + 1
        else:  # to the first j whose next step gives up the last bin
            falling = -(betas * share).astype(np.float32) if falling is None else falling
            j = max(j + 1, int(np.searchsorted(falling, -sums[end], side="right")) - 1)
            continue
        yield start, end


@cache
def _shares() -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the kept share after each step, added up in float64 one by one."""
    steps = np.full(round(1 / STEP) + 2, STEP)
    steps[0] = 0.0
    return np.cumsum(steps), np.cumsum(np.concatenate([[1.0], -steps[1:]]))


def _errors(
    histogram: np.ndarray,
    ends: tuple[np.float32, np.float32],
    levels: int,
    first: np.ndarray,
    last: np.ndarray,
) -> np.ndarray:
    """Estimated squared error of each candidate grid over all elements, (candidates,), float32.

    Elements are taken as evenly spread in their bin. With the grid's step d, each bin adds
    density * (x^3 / 3) between its ends, measured from the level next to it, and the whole steps
    between. Everything but the two widths is float32.
    """
    bins = len(histogram)
    width = (float(ends[1]) - float(ends[0])) / bins
    step = width * (last - first + 1) / levels
    bin_width, step32, half = (np.float32(v) for v in (width, step[:, None], step[:, None] / 2))
    begin = (np.arange(bins) - first[:, None]).astype(np.float32) * bin_width
    finish = begin + bin_width
    top = np.float32(levels - 1)
    level, level_end = (np.clip(_whole(x, step32), np.float32(0), top) for x in (begin, finish))
    density = histogram / bin_width
    error = _cubes(begin - (level + np.float32(0.5)) * step32, half, density)
    error = error + (level_end - level - np.float32(1)) * _cubes(-half, half, density)
    error = error + _cubes(-half, finish - (level_end * step32 + half), density)
    return np.where(step == 0, np.float32(0), total(error))


def _whole(x: Array, step: Array) -> np.ndarray:
    """Whole steps in x, floor(x / step), float32, as floor_divide gives it, only faster.

    Quotients of float32 numbers never lie nearer to a whole number than float64 can tell.
    """
    quotient = np.floor(np.divide(x, step, dtype=np.float64))
    if not (np.abs(quotient) < EXACT).all():
        return np.floor_divide(x, step)
    return quotient.astype(np.float32)


def _cubes(x: Array, y: Array, density: np.ndarray) -> np.ndarray:
    """Integral of density * t^2 from x to y: density * (y^3 - x^3) / 3, float32."""
    return density * ((y * y * y - x * x * x) / np.float32(3))
