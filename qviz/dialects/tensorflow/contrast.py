"""A measured op beside its published formula: where they differ, on values one can look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.members import partner
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.views import Answer, answer
from qviz.quantizers.base import Quantizer

LAST_BITS = 1e-5  # of a step: float32 and float64 differ by that anyway
POINTS = 257  # of the range


@dataclass(frozen=True)
class Element:
    """One value, its two codes, and what comes back of each."""

    x: float
    code: int
    back: float
    documented_code: int
    documented_back: float


@dataclass(frozen=True, eq=False)
class Contrast:
    """An op and its formula on one range.

    ``share`` of the ``looked`` values come back differently; ``element`` is the one that differs
    most, or where none does, the one among points of the range. It is None where these agree as
    well, or where one of the two refuses.
    """

    measured: Answer
    documented: Answer
    looked: int = 0
    share: float = 0.0
    element: Element | None = None


def contrast(
    name: str, lo: float, hi: float, setting: Setting, values: np.ndarray
) -> Contrast | None:
    """The op ``name`` against what is published of it, on finite ``values`` (n,).

    Shares are of these alone; an element is looked for at 257 points of the range as well.
    None where nothing is published.
    """
    published = partner(name)
    if published is None:
        return None
    ours, theirs = answer(name, lo, hi, setting), answer(published, lo, hi, setting)
    if ours.quantizer is None or theirs.quantizer is None:
        return Contrast(ours, theirs)
    both, least = (ours.quantizer, theirs.quantizer), LAST_BITS * ours.step
    share, found = _apart(*both, values, least)
    if found is None:
        _, found = _apart(*both, np.linspace(lo, hi, POINTS), least)
    return Contrast(ours, theirs, values.size, share, found)


def _apart(
    ours: Quantizer, theirs: Quantizer, values: np.ndarray, least: float
) -> tuple[float, Element | None]:
    """Share of the values that come back more than ``least`` apart, and the farthest of them."""
    x = values.astype(np.float32)[None, :]
    (code, back), (other, published) = (_both(q, x) for q in (ours, theirs))
    apart = np.abs(back - published)
    differing = apart > least
    if not differing.any():
        return 0.0, None
    at = int(apart.argmax())
    ends = int(code[at]), float(back[at]), int(other[at]), float(published[at])
    return float(differing.mean()), Element(float(x[0, at]), *ends)


def _both(quantizer: Quantizer, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    codes = quantizer.quantize(x)
    return xp.host(codes)[0], xp.host(quantizer.dequantize(codes))[0].astype(np.float64)
