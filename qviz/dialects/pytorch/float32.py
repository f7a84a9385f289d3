"""PyTorch's float32 building blocks, bit for bit in NumPy: linspace and sum."""

from __future__ import annotations

from typing import Any

import numpy as np

TAIL = 2**29 - 1  # bits of a float64 that float32 has no place for
HALF = 2**28
SUBNORMAL = 2.0**-126  # below this float32 has fewer bits
LANES = 8  # float32 elements of the vector that torch.sum adds with, AVX-512 machines included
CHAINS = 4  # vectors summed side by side
BLOCK = 16  # vectors added in order before the partial sum moves one level up


def fused(a: Any, b: Any, c: Any) -> np.ndarray:
    """``a * b + c`` of float32 numbers with one rounding.

    The product is exact in float64. So is the sum, or its rounding there does not matter, unless
    it ends half-way between two float32 numbers; it is then rounded to odd, so that the second
    rounding, to float32, decides as if it had seen every digit.
    """
    product = np.multiply(a, b, dtype=np.float64)
    addend = np.asarray(c, np.float64)
    total = np.asarray(product + addend)
    tail = total.view(np.int64) & TAIL
    near = np.nonzero((tail == HALF) | (np.abs(total) < SUBNORMAL))
    if near[0].size:
        addend = np.broadcast_to(addend, total.shape)[near]
        total[near] = _to_odd(np.broadcast_to(product, total.shape)[near], addend)
    return total.astype(np.float32)


def _to_odd(product: np.ndarray, addend: np.ndarray) -> np.ndarray:
    """The sum, its last bit 1 where digits were lost."""
    total = product + addend
    part = total - product
    lost = (product - (total - part)) + (addend - part)
    even = total.view(np.int64) & 1 == 0
    odd = np.nextafter(total, np.where(lost > 0, np.inf, -np.inf))
    return np.where((lost != 0) & even, odd, total)


def linspace(
    start: np.float32, end: np.float32, count: int, at: np.ndarray | None = None
) -> np.ndarray:
    """torch.linspace: the first half counted up from ``start``, the rest down from ``end``.

    ``at`` are the points wanted, ascending; all of them by default.
    """
    step = (end - start) / np.float32(count - 1)
    at = np.arange(count) if at is None else at
    add = _summed if _all_digits(start, end, step) else fused
    first, rest = np.split(at, [np.searchsorted(at, count // 2)])
    return np.concatenate([add(step, first, start), add(-step, count - 1 - rest, end)])


def _summed(a: np.float32, b: np.ndarray, c: np.float32) -> np.ndarray:
    return (np.float64(a) * b + np.float64(c)).astype(np.float32)


def _all_digits(start: np.float32, end: np.float32, step: np.float32) -> bool:
    """Whether float64 holds every digit of the sums, so that they are rounded once."""
    there = [abs(float(v)) for v in (start, end, step) if v]
    if not there or not np.isfinite(there).all():
        return False
    _, exponents = np.frexp(there)
    return bool(exponents.max() - exponents.min() + 24 + 1 <= 53)


def total(rows: np.ndarray) -> np.ndarray:
    """torch.sum over the last axis of float32 (rows, n): (rows,), in its order of additions.

    Eight lanes in four chains; each chain adds blocks of 16, the sums of 16 blocks, and so on.
    """
    count, n = rows.shape
    vectors = n // LANES
    body = rows[:, : vectors * LANES].reshape(count, vectors, LANES)
    whole = vectors - vectors % CHAINS
    chains = _cascade(body[:, :whole].reshape(count, whole // CHAINS, CHAINS, LANES))
    first = _in_order(np.concatenate([chains[:, None, 0], body[:, whole:]], axis=1), 1)
    lanes = _in_order(np.concatenate([first[:, None], chains[:, 1:]], axis=1), 1)
    return _in_order(np.concatenate([rows[:, vectors * LANES :], lanes], axis=1), 1)


def _cascade(rows: np.ndarray) -> np.ndarray:
    """Sum of (count, size, ...) over axis 1, level by level, the lowest level first."""
    levels = []
    while rows.shape[1]:
        whole = rows.shape[1] // BLOCK
        levels.append(_in_order(rows[:, whole * BLOCK :], 1))
        blocks = rows[:, : whole * BLOCK].reshape(len(rows), whole, BLOCK, *rows.shape[2:])
        rows = _in_order(blocks, 2)
    if not levels:
        return np.zeros((rows.shape[0], *rows.shape[2:]), np.float32)
    return _in_order(np.stack(levels, axis=1), 1)


def _in_order(x: np.ndarray, axis: int) -> np.ndarray:
    """Sum over one axis, one element after the other; 0 where there is none."""
    if x.shape[axis] == 0:
        return np.zeros(x.shape[:axis] + x.shape[axis + 1 :], np.float32)
    return np.add.accumulate(x, axis=axis).take(-1, axis=axis)
