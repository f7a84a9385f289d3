"""How fake quantization moves a range until real 0 is a level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.arithmetic import flushed
from qviz.quantizers.steps import record


@dataclass(frozen=True, eq=False)
class Nudge:
    """What a range becomes, each (groups,): the step, the code of 0, the nudged ends.

    ``inverse`` is divided on its own, ``offset`` counts the steps from ``lo`` to 0; ``nothing``
    marks groups whose range is [0, 0].
    """

    scale: np.ndarray
    inverse: np.ndarray
    zero_point: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    offset: np.ndarray
    nothing: np.ndarray


@np.errstate(all="ignore")
def nudged(low: np.ndarray, high: np.ndarray, ends: tuple[int, int]) -> Nudge:
    """The range moved until 0 is a level: float32, one rounding per operation.

    scale = (high - low) / steps; zero point = away(first - low / scale), clamped to the codes.
    [1, 3] becomes [0, 2], and [-3, -1] becomes [-2, 0].
    """
    low, high = flushed(np.float32(low)), flushed(np.float32(high))
    first, last = (np.float32(end) for end in ends)
    record("range", low, high)
    width, steps = flushed(high - low), last - first
    scale, inverse = flushed(width / steps), flushed(steps / width)
    nothing = (low == 0) & (high == 0)
    scale = np.where(nothing, np.float32(0), scale)  # not -0: what comes back is +0
    record("scale", scale, note=f"width over {steps:g}")
    raw = flushed(first - flushed(low / scale))
    record("raw zero point", raw)
    zero = np.where(raw < first, first, np.where(raw > last, last, xp.round_away(raw)))
    record("clamp", np.clip(raw, first, last), note="to the codes")
    record("rounded", zero, note="half away from zero")
    zero = np.where(nothing, first, np.where(np.isnan(zero), np.float32(0), zero))
    lo, hi = flushed((first - zero) * scale), flushed((last - zero) * scale)
    if ((raw < first) | (raw > last)).any():
        record("shifted", lo, hi, note="its width kept, until 0 is inside")
    offset = np.floor(flushed(-lo * inverse) + np.float32(0.5))
    return Nudge(scale, inverse, zero, lo, hi, offset, nothing)
