"""Where a quantizer's code changes, found with its own arithmetic."""

from __future__ import annotations

import numpy as np

from qviz.quantizers.base import Quantizer


def key_of(values: np.ndarray) -> np.ndarray:
    """Order-preserving integers of float32 values, int64."""
    bits = np.asarray(values, np.float32).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def float_of(keys: np.ndarray) -> np.ndarray:
    """The float32 values of keys."""
    bits = np.where(keys < 0, -keys | 0x80000000, keys)
    return bits.astype(np.uint32).view(np.float32)


@np.errstate(all="ignore")
def boundaries(quantizer: Quantizer, groups: int) -> np.ndarray:
    """Least float32 whose code before clamping reaches each of quant_min .. quant_max + 1.

    (groups, levels + 1), float64, by bisection over bit patterns with ``encode`` alone; the
    quantizer must be monotone. +inf where no finite float reaches the code.
    """
    low, high = quantizer.ends
    target = np.arange(low, high + 2, dtype=np.float64)[None, :]
    top = int(key_of(np.array(np.finfo(np.float32).max)))
    left = np.full((groups, target.shape[1]), -top - 1, np.int64)  # below all floats
    right = np.full_like(left, top + 1)
    for _ in range(33):
        middle = (left + right) >> 1
        inside = np.clip(middle, -top, top)
        reached = np.asarray(quantizer.encode(float_of(inside))) >= target
        right = np.where(reached, middle, right)
        left = np.where(reached, left, middle)
    edges = float_of(np.clip(right, -top, top)).astype(np.float64)
    return np.where(right > top, np.inf, edges)
