"""The two searches of NVIDIA's histogram calibrator, by sums over all bins before each."""

from __future__ import annotations

import numpy as np

NEAR = 1e-9  # divergences this near to the least are computed again bin by bin
BLOCK = 2**19  # numbers at a time


def divergences(counts: np.ndarray, levels: int, kept: np.ndarray) -> np.ndarray:
    """D(p || q) in nats for each number of bins kept, (candidates,), float64; inf and NaN occur.

    Bin 1 is copied over bin 0. p is the bins kept, all counts beyond them added to the last; q
    is the bins kept without those, each that is not empty with the mean of its level's. NaN where
    the bins kept are all empty, infinite where the last is empty but p has counts there. Those
    near the least are added up in the order of the original, so that equal ones stay equal.
    """
    counts = counts.copy()
    counts[:1] = counts[1:2]
    levels = min(levels, len(counts))
    tall = max(1, BLOCK // (levels + 1))
    blocks = [_by_sums(counts, levels, kept[i : i + tall]) for i in range(0, len(kept), tall)]
    found = np.concatenate(blocks)
    finite = np.isfinite(found)
    near = np.flatnonzero(finite & (found <= np.min(found, initial=np.inf, where=finite) + NEAR))
    found[near] = [_bin_by_bin(counts, levels, k) for k in kept[near].tolist()]
    return found


def last_least(found: np.ndarray) -> int:
    """Index of the last of the least; NaN counts as less than every number."""
    return len(found) - 1 - int(found[::-1].argmin())


def _bounds(levels: int, kept: np.ndarray) -> np.ndarray:
    """First bin of each level, and the one after the last: (candidates, levels + 1)."""
    return np.ceil(np.linspace(0, kept, levels + 1, axis=-1)).astype(np.int64)


@np.errstate(all="ignore")
def _by_sums(counts: np.ndarray, levels: int, kept: np.ndarray) -> np.ndarray:
    before, filled, own = (_before(v) for v in (counts, counts > 0, _xlogx(counts)))
    bounds = _bounds(levels, kept)
    inside, used = np.diff(before[bounds]), np.diff(filled[bounds])
    shared = np.log(np.where(used > 0, inside, 1.0) / np.maximum(used, 1))  # ln q, not normalized
    end = counts[kept - 1]
    total, left = before[-1], before[kept]
    tail = total - left
    at_end = (bounds < kept[:, None]).sum(axis=1) - 1
    at_end = np.take_along_axis(shared, at_end[:, None], 1)[:, 0]
    sums = own[kept] - _xlogx(end) + _xlogx(end + tail) - (inside * shared).sum(axis=1)
    found = (sums - np.where(tail > 0, tail * at_end, 0.0)) / total + np.log(left / total)
    found = np.where((end == 0) & (tail > 0), np.inf, found)
    return np.where(left > 0, found, np.nan)


def _before(values: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])


def _xlogx(values: np.ndarray) -> np.ndarray:
    return values * np.log(np.where(values > 0, values, 1))


def _bin_by_bin(counts: np.ndarray, levels: int, kept: int) -> float:
    """One divergence, its terms added up as in the original."""
    bounds = _bounds(levels, np.asarray(kept))
    level = np.repeat(np.arange(levels), np.diff(bounds))
    inside, full = counts[:kept], counts[:kept] > 0
    sums = np.bincount(level, inside * full, levels)
    means = sums / np.maximum(np.bincount(level[full], minlength=levels), 1)
    q = np.where(full, means[level], 0.0)
    p = inside.astype(np.float64)
    p[-1] += counts[kept:].sum()
    p, q = p / p.sum(), q / q.sum()
    return float(_terms(p, q).sum())


@np.errstate(all="ignore")
def _terms(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The terms p ln(p / q), 0 where p is 0; by log1p where the two are close."""
    ratio = p / q
    close = (ratio > 0.5) & (ratio < 2)
    terms = np.where(close, p * np.log1p((p - q) / q), p * np.log(ratio))
    return np.where(p > 0, terms, 0.0)


@np.errstate(divide="ignore", invalid="ignore")
def squared_errors(
    counts: np.ndarray, middles: np.ndarray, candidates: np.ndarray, last: int
) -> np.ndarray:
    """Sum of count * (middle - quantized middle)^2 for each candidate clip; (candidates,), float64.

    scale = candidate / ``last``; codes are half-even round(middle / scale), at most ``last``.
    """
    out, tall = np.empty(len(candidates)), max(1, BLOCK // max(len(middles), 1))
    for start in range(0, len(candidates), tall):
        scale = candidates[start : start + tall, None] / last
        codes = np.fmin(np.rint(middles / scale), last)  # 0 / 0 too: a clip of 0 gives 0
        out[start : start + tall] = ((codes * scale - middles) ** 2 * counts).sum(axis=1)
    return out
