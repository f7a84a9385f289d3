"""Floats as ordered integers: bisection to the last bit, and distances counted in floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

WHOLE: dict[str, tuple[Any, int, int]] = {  # integer type, mask of the magnitude, halvings
    "float32": (np.int32, 0x7FFF_FFFF, 33),
    "float64": (np.int64, 0x7FFF_FFFF_FFFF_FFFF, 65),
}


def searched(kind: str) -> str:
    """The type boundaries are sought in: float64 for float64, else float32."""
    return "float64" if kind == "float64" else "float32"


def keys(values: Any, kind: str) -> np.ndarray:
    """Order-preserving integers of floats, int64; neighbours differ by 1, -0 and 0 are one."""
    whole, mask, _ = WHOLE[kind]
    bits = np.asarray(values, kind).view(whole).astype(np.int64)
    return np.where(bits < 0, -(bits & mask), bits)


def floats(keys: np.ndarray, kind: str) -> np.ndarray:
    """The floats of keys."""
    whole, mask, _ = WHOLE[kind]
    bits = np.where(keys < 0, -keys | ~mask, keys)
    return bits.astype(whole).view(kind)


def apart(a: float, b: float, kind: str) -> int:
    """Floats from ``a`` to ``b``; negative where b is below a.

    >>> apart(1.0, 1.0 + 2.0**-23, "float32")
    1
    """
    first, last = (int(keys(np.array([v]), kind)[0]) for v in (a, b))
    return last - first


def least(
    reached: Callable[[np.ndarray], np.ndarray], left: np.ndarray, right: np.ndarray, kind: str
) -> np.ndarray:
    """The least float in (left, right] for which ``reached`` holds.

    It must not hold at ``left``, hold at ``right``, and change once in between.
    """
    low, high = keys(left, kind), keys(right, kind)
    for _ in range(WHOLE[kind][2]):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        there = reached(floats(middle, kind))
        high = np.where(there, middle, high)
        low = np.where(there, low, middle)
    return floats(high, kind)
