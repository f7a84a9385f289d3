"""How many elements of each group lie where, on an axis of signs and powers of two.

Bins are the leading bits of the float32 pattern below each group's own largest magnitude, so a
quiet group is resolved as finely as a loud one, and the bins of all groups share their edges:
they add up, and any axis can be drawn as unions of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.stats.base import Seen, Statistic
from qviz.stats.minmax import MinMax
from qviz.xp import Array

MANTISSA = 23  # bits of a float32 below its exponent
MAGNITUDE, INFINITY = 0x7FFFFFFF, 0x7F800000  # bits without the sign; those of infinity
LARGEST = float(np.finfo(np.float32).max)
BLOCK = 2**17  # elements counted at a time
MOST = 2**23  # counts kept of all groups together


@dataclass(frozen=True, eq=False)
class ValueCountsState:
    """Per group ``counts`` (groups, 2 depth + 1), unsigned, from the most negative value up.

    Column ``depth`` holds 0 and all that lies ``depth`` bins or more below the largest
    magnitude; ``depth + j`` and ``depth - j`` are the positive and negative elements whose
    magnitude has the code ``top - depth + j``. ``top`` (groups,) is the code of the largest
    magnitude; ``digits`` says how many bits of the mantissa a code keeps.
    """

    counts: np.ndarray
    top: np.ndarray
    digits: int

    @property
    def depth(self) -> int:
        """Bins of one sign."""
        return self.counts.shape[1] // 2


def magnitude_of(codes: np.ndarray, digits: int) -> np.ndarray:
    """Least magnitude of each code, float64; a code reaches up to the least of the next one."""
    bits = (np.maximum(codes, 0).astype(np.int64) << (MANTISSA - digits)).astype(np.uint32)
    return bits.view(np.float32).astype(np.float64)


def code_of(magnitudes: np.ndarray, digits: int) -> np.ndarray:
    """Code of magnitudes, int64; those beyond float32 have that of its largest."""
    near = np.minimum(np.abs(magnitudes), LARGEST).astype(np.float32)
    return (near.view(np.uint32) >> np.uint32(MANTISSA - digits)).astype(np.int64)


@dataclass(frozen=True)
class ValueCounts(Statistic[ValueCountsState]):
    """Counts of finite elements, ``2^digits`` bins to a factor of two, ``octaves`` of these down.

    Exact: each element is in the bin its float32 pattern names; float64 is rounded to float32
    first. The state holds 2 octaves 2^digits + 1 counts for a group.
    """

    digits: int = 4
    octaves: int = 16

    @staticmethod
    def fitting(groups: int) -> ValueCounts:
        """The finest recipe whose counts for so many groups stay below 2^23."""
        for made in (ValueCounts(), ValueCounts(3, 16), ValueCounts(3, 12)):
            if groups * (2 * made.depth + 1) <= MOST:
                return made
        return ValueCounts(2, 12)

    @property
    def depth(self) -> int:
        """Bins of one sign."""
        return self.octaves << self.digits

    @property
    def needs(self) -> tuple[MinMax]:
        return (MinMax(),)

    def of(self, rows: Array, given: Seen) -> ValueCountsState:
        top = code_of(given[MinMax()].amax, self.digits)
        x = xp.host(rows)
        groups, n = x.shape
        counts = np.zeros((groups, 2 * self.depth + 1), np.uint16 if n < 2**16 else np.uint32)
        tall = max(1, BLOCK // max(n, 1))
        for g in range(0, groups, tall):
            counts[g : g + tall] = self._count(x[g : g + tall], top[g : g + tall])
        return ValueCountsState(counts, top, self.digits)

    def _count(self, x: np.ndarray, top: np.ndarray) -> np.ndarray:
        """Counts of a few groups, (groups, 2 depth + 1)."""
        with np.errstate(over="ignore"):
            bits = np.ascontiguousarray(x, np.float32).view(np.int32)
        code = (bits & MAGNITUDE) >> (MANTISSA - self.digits)
        below = np.clip(top.astype(np.int32)[:, None] - code, 0, self.depth)
        if top.min(initial=self.depth) < self.depth:  # else 0 lies that far down by itself
            below[x == 0] = self.depth
        at = np.where(bits < 0, below, 2 * self.depth - below)
        bins = 2 * self.depth + 2  # the last one is for what is not finite
        if code.max(initial=0) >= INFINITY >> (MANTISSA - self.digits):
            at[~np.isfinite(x)] = bins - 1
        at += (np.arange(len(x), dtype=np.int32) * bins)[:, None]
        counts = np.bincount(at.ravel(), minlength=len(x) * bins)
        return counts.reshape(len(x), bins)[:, :-1]

    def merge(self, a: ValueCountsState, b: ValueCountsState) -> ValueCountsState:
        return ValueCountsState(a.counts.astype(np.uint32) + b.counts, a.top, a.digits)
