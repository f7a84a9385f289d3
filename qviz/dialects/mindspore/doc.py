"""The documentation at its word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.mindspore.reading import (
    Ends,
    Masks,
    Pair,
    Reading,
    averaged_shares,
    counted,
    half_up,
    not_beyond,
)
from qviz.xp import Array


@dataclass(frozen=True)
class Doc(Reading):
    """Signed codes for all types; symmetric codes keep the zero point of the range itself."""

    name: str = "doc"
    delays: bool = True

    def axis(self, channel_axis: int) -> int:
        return channel_axis

    def domain(self, bits: int, narrow_range: bool) -> tuple[int, int]:
        return int(narrow_range) - 2 ** (bits - 1), 2 ** (bits - 1) - 1

    def shares(self, decay: float, kind: str) -> tuple[np.floating, np.floating]:
        return averaged_shares(decay, kind)

    def scale_and_zero(self, lo: np.ndarray, hi: np.ndarray, ends: Ends, symmetric: bool) -> Pair:
        first, last = ends
        width = 2 * np.maximum(hi, np.abs(lo)) if symmetric else hi - lo
        scale = width / (last - first)
        return scale, counted(half_up, scale, first - lo / scale, ends)

    def rounded(self, t: Array, per_channel: bool) -> Array:
        return half_up(t)

    def filled(self, t: Array, value: float) -> Array:
        return t

    def passes(self, x: Array, low: Array, high: Array) -> Array:
        return not_beyond(x, low, high)

    def registered(self, per_channel: bool, symmetric: bool) -> tuple[bool, bool] | None:
        return None

    def top(self, bits: int, neg_trunc: bool) -> int:
        return 2**bits if neg_trunc else 2 ** (bits - 1) - 1  # 256, not 255: as printed

    def divisor(self, maxq: np.ndarray) -> np.ndarray:
        return maxq

    def outside(self, ratio: Array, bound: float) -> Masks:
        return ratio >= 1, ratio <= bound

    def middle(self, ratio: Array, quantized: Array) -> Array:
        return xp.rint(ratio)  # a whole number of maxq, not of steps: as printed
