"""What a reading of MindSpore's class must say, and the arithmetic that readings share.

Arrays are (groups,) on the host in the type everything is evaluated in (float32, or float64 for
study); ``x``, ``t`` and ``ratio`` are rows of either kind of array beside columns of the groups.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from qviz import xp
from qviz.quantizers.steps import record
from qviz.xp import Array

Pair = tuple[np.ndarray, np.ndarray]
Masks = tuple[Array, Array]
MOST_STEPS = 2.0**31
Ends = tuple[int, int]


class Reading(ABC):
    """One answer to what FakeQuantWithMinMaxObserver computes."""

    name: str
    delays: bool  # whether quant_delay is heeded

    @abstractmethod
    def axis(self, channel_axis: int) -> int:
        """The axis whose indices are the channels."""

    @abstractmethod
    def domain(self, bits: int, narrow_range: bool) -> tuple[int, int]:
        """(quant_min, quant_max) of DEFAULT."""

    @abstractmethod
    def shares(self, decay: float, kind: str) -> tuple[np.floating, np.floating]:
        """Weights of the batch and of the running range in the moving average."""

    @abstractmethod
    def scale_and_zero(self, lo: np.ndarray, hi: np.ndarray, ends: Ends, symmetric: bool) -> Pair:
        """Scale and zero point of a range; ``ends`` are quant_min and quant_max."""

    @abstractmethod
    def rounded(self, t: Array, per_channel: bool) -> Array:
        """Steps above the lowest code, rounded."""

    def tie(self, per_channel: bool) -> str:
        """The word for what ``rounded`` does with a tie: up, or away from zero."""
        return "up"

    @abstractmethod
    def filled(self, t: Array, value: float) -> Array:
        """``t`` with its NaN as the device converts them."""

    @abstractmethod
    def passes(self, x: Array, low: Array, high: Array) -> Array:
        """Mask of the elements whose gradient passes."""

    @abstractmethod
    def registered(self, per_channel: bool, symmetric: bool) -> tuple[bool, bool] | None:
        """(symmetric, narrow_range) that the registered gradient works with, if there is one."""

    @abstractmethod
    def top(self, bits: int, neg_trunc: bool) -> int:
        """quant_max of LEARNED_SCALE."""

    @abstractmethod
    def divisor(self, maxq: np.ndarray) -> np.ndarray:
        """What stands for maxq in a forward or backward pass of LEARNED_SCALE."""

    @abstractmethod
    def outside(self, ratio: Array, bound: float) -> Masks:
        """Masks of LEARNED_SCALE's gradient: at the upper end, at the lower end ``bound``."""

    @abstractmethod
    def middle(self, ratio: Array, quantized: Array) -> Array:
        """What the ratio is subtracted from in the gradient of maxq, between the ends."""


def half_up(x: Array) -> Array:
    """floor(x + 0.5)."""
    return xp.namespace(x).floor(x + 0.5)


def countable(steps: Array) -> Array:
    """Whole numbers kept within those of 32 bits, so that two that are out of range compare."""
    return xp.clip(steps, -MOST_STEPS, MOST_STEPS)


def averaged_shares(decay: float, kind: str) -> tuple[np.floating, np.floating]:
    """1 - c for the batch and c for the running range, each rounded to ``kind``."""
    number = np.dtype(kind).type
    return number(1 - decay), number(decay)


def kernel_domain(bits: int, narrow_range: bool) -> tuple[int, int]:
    """[0, 2^bits - 1] for signed and unsigned types alike; narrow_range leaves 0 out."""
    return int(narrow_range), 2**bits - 1


def mirrored(lo: np.ndarray, hi: np.ndarray, symmetric: bool) -> Pair:
    """[-a, a] with a = max(hi, -lo) where symmetric, else the range itself."""
    if not symmetric:
        return lo, hi
    a = np.maximum(hi, -lo)
    record("mirrored", -a, a)
    return -a, a


def counted(
    rounded: Callable[[Array], Array], scale: np.ndarray, raw: np.ndarray, ends: Ends
) -> np.ndarray:
    """Zero point of a raw one: clamped to the codes, then rounded."""
    record("scale", scale, note=f"width over {ends[1] - ends[0]}")
    record("raw zero point", raw)
    inside = np.clip(raw, *ends)
    record("clamp", inside, note="to the codes, ahead of rounding")
    zero = rounded(inside)
    words = {"half_up": "half up: floor(t + 0.5)", "round_away": "half away from zero"}
    record("rounded", zero, note=words.get(rounded.__name__, ""))
    return zero


def kernel_top(bits: int, neg_trunc: bool) -> int:
    """2^bits - 1 with neg_trunc, else 2^(bits - 1) - 1."""
    return 2 ** (bits if neg_trunc else bits - 1) - 1


def not_beyond(x: Array, low: Array, high: Array) -> Array:
    """Both limits pass, and NaN: not (x < low or x > high)."""
    return ~((x < low) | (x > high))
