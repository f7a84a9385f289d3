"""The Ascend graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.mindspore.reading import (
    Ends,
    Masks,
    Pair,
    Reading,
    averaged_shares,
    counted,
    half_up,
    kernel_domain,
    kernel_top,
    mirrored,
)
from qviz.xp import Array

LEAST = 1e-6  # what a smaller |maxq| is replaced by


@dataclass(frozen=True)
class Ascend(Reading):
    """No quant_delay; the gradient is blocked at both limits."""

    name: str = "ascend"
    delays: bool = False

    def axis(self, channel_axis: int) -> int:
        return channel_axis

    def domain(self, bits: int, narrow_range: bool) -> tuple[int, int]:
        return kernel_domain(bits, narrow_range)

    def shares(self, decay: float, kind: str) -> tuple[np.floating, np.floating]:
        return averaged_shares(decay, kind)

    def scale_and_zero(self, lo: np.ndarray, hi: np.ndarray, ends: Ends, symmetric: bool) -> Pair:
        first, last = ends
        lo, hi = mirrored(lo, hi, symmetric)
        scale = (hi - lo) / (last - first)
        return scale, counted(half_up, scale, first - lo / scale, ends)

    def rounded(self, t: Array, per_channel: bool) -> Array:
        return half_up(t)

    def filled(self, t: Array, value: float) -> Array:
        return t

    def passes(self, x: Array, low: Array, high: Array) -> Array:
        return (low < x) & (x < high)

    def registered(self, per_channel: bool, symmetric: bool) -> tuple[bool, bool] | None:
        return False, per_channel and symmetric

    def top(self, bits: int, neg_trunc: bool) -> int:
        return kernel_top(bits, neg_trunc)

    def divisor(self, maxq: np.ndarray) -> np.ndarray:
        return np.where(np.abs(maxq) < LEAST, LEAST, maxq).astype(maxq.dtype)

    def outside(self, ratio: Array, bound: float) -> Masks:
        return ratio > 1, ratio < bound

    def middle(self, ratio: Array, quantized: Array) -> Array:
        return quantized
