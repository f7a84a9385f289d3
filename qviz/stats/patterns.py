"""Bit patterns of floats: the codes that a sketch counts, and the values behind a code.

A code is the leading 16 or 20 bits of a float's pattern: sign, exponent, leading digits. Codes
below 2^(bits - 1) are positive and ascend with the value; those from there on are negative.
"""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.xp import Array

PATTERN = {"float16": ("uint16", 16), "float32": ("uint32", 32)}
BLOCK = 2**16  # elements whose codes stay in the cache


def counted_as(kind: str) -> str:
    """The float type whose pattern is counted: float64 goes as float32."""
    return "float32" if kind == "float64" else kind


def infinity(kind: str, bits: int) -> int:
    """Code of +infinity; that of -infinity is higher by 2^(bits - 1), NaNs lie above each."""
    pattern, width = PATTERN[kind]
    return int(np.array(np.inf, kind).view(pattern)) >> (width - bits)


def count(rows: Array, bits: int) -> np.ndarray:
    """Elements of each code, (groups, 2^bits), int64; rows float16 or float32."""
    ns, kind = xp.namespace(rows), xp.dtype_name(rows)
    counts = np.zeros((rows.shape[0], 1 << bits), np.int64)
    for group, row in enumerate(rows):
        if ns is not np:
            counts[group] = xp.host(ns.bincount(_codes(row, kind, bits), minlength=1 << bits))
        elif bits == 16:
            step = PATTERN[kind][1] // 16  # little endian: the last half word leads
            halves = np.ascontiguousarray(row).view(np.uint16)[step - 1 :: step]
            counts[group] = np.bincount(halves, minlength=1 << bits)
        else:
            _count_blocks(counts[group], row.view(PATTERN[kind][0]), PATTERN[kind][1] - bits)
    return counts


def _codes(row: Array, kind: str, bits: int) -> Array:
    """Codes of a torch row; its integers are signed, so the sign's copies are masked out."""
    signed = row.view(getattr(xp.namespace(row), "int16" if kind == "float16" else "int32"))
    return (signed.long() >> (PATTERN[kind][1] - bits)) & ((1 << bits) - 1)


def _count_blocks(table: np.ndarray, row: np.ndarray, drop: int) -> None:
    """Count into ``table``: half the time of bincount, which scans and zeroes a large one."""
    for start in range(0, row.size, BLOCK):
        codes = row[start : start + BLOCK] >> drop
        np.add.at(table, codes.astype(np.intp), 1)


def complete(rows: Array, counted: Array, bits: int) -> bool:
    """Whether the code of each element gives it back: none has a bit below the leading ones.

    ``counted`` are the rows in the float type that is counted; NaN does not matter.
    """
    if xp.dtype_name(counted) == "float16":
        return True
    few = slice(0, 1024)  # settles it for nearly all data
    parts = ((rows[:, few], counted[:, few]), (rows, counted))
    return all(_comes_back(part, seen, bits) for part, seen in parts)


def _comes_back(rows: Array, counted: Array, bits: int) -> bool:
    ns = xp.namespace(rows)
    kept = counted.view(ns.int32) & -(1 << (32 - bits))
    return bool(((kept.view(ns.float32) == rows) | (rows != rows)).all())


def ends(kind: str, bits: int, magnitudes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest float64 value of positive codes."""
    pattern, width = PATTERN[kind]
    near = magnitudes.astype(np.uint64) << np.uint64(width - bits)
    far = near | np.uint64((1 << (width - bits)) - 1)
    lo, hi = (v.astype(pattern).view(kind).astype(np.float64) for v in (near, far))
    return lo, hi
