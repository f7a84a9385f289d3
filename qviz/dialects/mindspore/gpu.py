"""The CUDA kernels, without fused multiply-add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.mindspore.reading import (
    Ends,
    Masks,
    Pair,
    Reading,
    counted,
    half_up,
    kernel_domain,
    kernel_top,
    mirrored,
    not_beyond,
)
from qviz.xp import Array


@dataclass(frozen=True)
class Gpu(Reading):
    """Channels along dimension 0, the weights of the moving average exchanged."""

    name: str = "gpu"
    delays: bool = True

    def axis(self, channel_axis: int) -> int:
        return 0

    def domain(self, bits: int, narrow_range: bool) -> tuple[int, int]:
        return kernel_domain(bits, narrow_range)

    def shares(self, decay: float, kind: str) -> tuple[np.floating, np.floating]:
        number = np.dtype(kind).type
        return number(decay), number(1) - number(decay)

    def scale_and_zero(self, lo: np.ndarray, hi: np.ndarray, ends: Ends, symmetric: bool) -> Pair:
        first, last = ends
        lo, hi = mirrored(lo, hi, symmetric)
        empty = hi - lo == 0
        scale = np.where(empty, 0, (hi - lo) / (last - first))
        zero = np.where(empty, 0, first - lo / scale)
        return scale, counted(xp.round_away, scale, zero, ends)

    def rounded(self, t: Array, per_channel: bool) -> Array:
        return half_up(t) if per_channel else xp.round_away(t)

    def tie(self, per_channel: bool) -> str:
        return "up" if per_channel else "away"

    def filled(self, t: Array, value: float) -> Array:
        ns = xp.namespace(t)
        return ns.where(ns.isnan(t), value, t)

    def passes(self, x: Array, low: Array, high: Array) -> Array:
        return not_beyond(x, low, high)

    def registered(self, per_channel: bool, symmetric: bool) -> tuple[bool, bool] | None:
        return (symmetric, symmetric) if per_channel else (False, False)

    def top(self, bits: int, neg_trunc: bool) -> int:
        return kernel_top(bits, neg_trunc)

    def divisor(self, maxq: np.ndarray) -> np.ndarray:
        return maxq

    def outside(self, ratio: Array, bound: float) -> Masks:
        return ratio > 1, ratio < bound

    def middle(self, ratio: Array, quantized: Array) -> Array:
        return quantized
