"""A measured op beside its published formula: where they differ, on values one can look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.members import partner
from qviz.dialects.tensorflow.views import Answer, Setting, answer
from qviz.quantizers.base import Quantizer

LAST_BITS = 1e-5  # of a step: float32 and float64 differ by that anyway


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

    ``share`` of the values looked at come back differently; ``element`` is the one that differs
    most, None where none does, or where one of the two refuses.
    """

    measured: Answer
    documented: Answer
    share: float = 0.0
    element: Element | None = None


def contrast(
    name: str, lo: float, hi: float, setting: Setting, values: np.ndarray
) -> Contrast | None:
    """The op ``name`` against what is published of it, on finite ``values`` (n,).

    None where nothing is published.
    """
    published = partner(name)
    if published is None:
        return None
    ours, theirs = answer(name, lo, hi, setting), answer(published, lo, hi, setting)
    if ours.quantizer is None or theirs.quantizer is None:
        return Contrast(ours, theirs)
    x = values.astype(np.float32)[None, :]
    (code, back), (other, published_back) = (
        _both(q, x) for q in (ours.quantizer, theirs.quantizer)
    )
    apart = np.abs(back - published_back)
    share = float((apart > LAST_BITS * ours.step).mean()) if apart.size else 0.0
    if not share:
        return Contrast(ours, theirs)
    at = int(apart.argmax())
    ends = int(code[at]), float(back[at]), int(other[at]), float(published_back[at])
    found = Element(float(x[0, at]), *ends)
    return Contrast(ours, theirs, share, found)


def _both(quantizer: Quantizer, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    codes = quantizer.quantize(x)
    return xp.host(codes)[0], xp.host(quantizer.dequantize(codes))[0].astype(np.float64)
