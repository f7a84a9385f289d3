"""The rule of PyTorch's fused observer and of dynamic quantization: range to scale and zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.dialects.pytorch.qparams import INT32_MIN
from qviz.quantizers.steps import record

INSTEAD = 0.1  # scale where the range has no width, or its reciprocal no float32
FLOOR = "at least 6.1e-5; 0.1 where there is no width"
SMALLEST = 6.1e-5  # smaller scales are raised to this, close to the smallest normal float16


@dataclass(frozen=True)
class FusedRule:
    """Codes, and whether zero is put in their middle when the range lies on both sides of it.

    ``precision`` is the type the scale is kept in: float32 in the fused module, float64 in
    dynamic quantization.
    """

    ends: tuple[int, int]
    symmetric: bool = False
    precision: Any = np.float32

    def qparams(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scale (``precision``) and zero point (int32), (groups,), of float32 ends.

        scale = (hi - lo) / (quant_max - quant_min) of the range widened to hold 0; 0.1 without
        width; at least 6.1e-5. zero_point is taken from the end that gives the smaller error,
        clamped and rounded half to even. NaN and infinite ranges give -2^31.
        """
        with np.errstate(all="ignore"):
            record("range", lo, hi)
            both = self.symmetric & (lo < 0) & (hi > 0)
            lo, hi = self._mirrored(lo, hi, both)
            if both.any():
                record("mirrored", lo, hi, note="as the range lies on both sides of 0")
            lo, hi = np.minimum(lo, np.float32(0)), np.maximum(hi, np.float32(0))
            record("widened", lo, hi, note="until 0 is inside")
            scale, lo, hi = self._scale(lo, hi)
            return scale, self._zero(scale, lo, hi, both & (lo < 0) & (hi > 0))

    def _mirrored(
        self, lo: np.ndarray, hi: np.ndarray, both: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        half = (self.ends[1] - self.ends[0]) // 2
        below, above = np.float32(-(half + 1)), np.float32(half)
        largest = _larger(np.abs(lo / below), np.abs(hi / above)).astype(np.float64)
        ends = ((largest * v).astype(np.float32) for v in (float(below), float(above)))
        mirrored = tuple(np.where(both, new, old) for new, old in zip(ends, (lo, hi), strict=True))
        return mirrored[0], mirrored[1]

    def _scale(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        steps, least = self.ends[1] - self.ends[0], np.float32(SMALLEST)
        scale = ((hi.astype(np.float64) - lo) / np.float64(steps)).astype(self.precision)
        record("scale before floor", scale, note=f"width over {steps}, divided in float64")
        narrow = scale.astype(np.float32)
        empty = (narrow == 0) | np.isinf(np.float32(1) / narrow)
        scale = np.where(empty, self.precision(INSTEAD), scale)
        small = scale < least
        record("floor", np.where(small, self.precision(least), scale), note=FLOOR)
        old, scale = scale.astype(np.float32), np.where(small, self.precision(least), scale)
        widest, gain = least * np.float32(steps), least / old
        one_sided = small & ((lo == 0) | (hi == 0))
        new_lo = np.where(one_sided, np.where(lo == 0, lo, -widest), lo * gain)
        new_hi = np.where(one_sided, np.where(lo == 0, widest, hi), hi * gain)
        return scale, np.where(small, new_lo, lo), np.where(small, new_hi, hi)

    def _zero(
        self, scale: np.ndarray, lo: np.ndarray, hi: np.ndarray, middle: np.ndarray
    ) -> np.ndarray:
        (low, high), step = self.ends, scale.astype(np.float64)
        below, above = lo / step, hi / step
        from_lo = abs(low) - np.abs(below) < abs(high) - np.abs(above)
        zero = np.where(from_lo, low - below, high - above)
        zero = np.where(middle, (low + high) / 2, zero)
        record("raw zero point", zero, note="from the end with the smaller error, in float64")
        whole = np.where(zero < low, low, np.where(zero > high, high, np.rint(zero)))
        record("rounded", whole, note="half to even")
        fits = (whole >= INT32_MIN) & (whole < -INT32_MIN)
        return np.where(fits, whole, INT32_MIN).astype(np.int32)


def _larger(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """std::max: the second where it is larger, so that a NaN in the first stays."""
    return np.where(a < b, b, a)
