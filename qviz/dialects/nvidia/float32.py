"""torch.linspace and torch.arange from 0, and torch.sum, in float32, bit for bit in NumPy."""

from __future__ import annotations

import numpy as np

LANES = 8  # float32 elements of a vector
TOGETHER = 2 * LANES  # counted up from the first of each vector, but for what is left over
CHAINS = 4  # vectors summed side by side
RUN = 16  # vectors added in order before their sum moves one level up


def linspace(end: np.float32, count: int) -> np.ndarray:
    """torch.linspace(0, end, count): half of it counted up from 0, the rest down from ``end``."""
    step, i = np.float64(end / np.float32(count - 1)), np.arange(count)
    down = np.float64(end) - step * (count - 1 - i)
    return np.where(i < count // 2, step * i, down).astype(np.float32)


def arange(end: np.float32, step: np.float32) -> np.ndarray:
    """torch.arange(0, end, step); a vector's first element is rounded before the rest is added."""
    wide = np.float64(step)
    i = np.arange(int(np.ceil(np.float64(end) / wide)))
    first = i - i % LANES
    start = (first * wide).astype(np.float32).astype(np.float64)
    whole = len(i) - len(i) % TOGETHER
    return np.where(i < whole, start + (i - first) * wide, i * wide).astype(np.float32)


def total(rows: np.ndarray) -> np.ndarray:
    """torch.sum of each row of float32 (rows, n), n from 8 on, in its order: (rows,)."""
    height, n = rows.shape
    whole = n // LANES
    vectors = rows[:, : whole * LANES].reshape(height, whole, LANES)
    even = whole - whole % CHAINS
    chains = _levelled(vectors[:, :even].reshape(height, even // CHAINS, CHAINS, LANES))
    first = _added(np.concatenate([chains[:, :1], vectors[:, even:]], axis=1))
    lanes = _added(np.concatenate([first[:, None], chains[:, 1:]], axis=1))
    return _added(np.concatenate([rows[:, whole * LANES :], lanes], axis=1))


def _levelled(vectors: np.ndarray) -> np.ndarray:
    """Sum over axis 1 in runs, then runs of their sums and so on; the lowest level first."""
    sums = [np.zeros_like(vectors[:, :1].sum(axis=1))]
    while vectors.shape[1]:
        runs = vectors.shape[1] // RUN
        sums.append(_added(vectors[:, runs * RUN :]))
        blocks = vectors[:, : runs * RUN].reshape(-1, RUN, *vectors.shape[2:])
        vectors = _added(blocks).reshape(len(vectors), runs, *vectors.shape[2:])
    return _added(np.stack(sums, axis=1))


def _added(parts: np.ndarray) -> np.ndarray:
    """Sum over axis 1, one after the other; 0 where there is nothing."""
    if parts.shape[1] == 0:
        return np.zeros(parts.shape[:1] + parts.shape[2:], np.float32)
    return np.add.accumulate(parts, axis=1)[:, -1]
