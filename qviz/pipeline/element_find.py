"""Elements worth asking about: the nearest to a value, the next tie, the largest error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.pipeline.element_ways import ties
from qviz.pipeline.element_where import pieces
from qviz.quantizers.base import Quantizer
from qviz.xp import Array

MOST = 2**24  # elements looked at in one search


@dataclass(frozen=True)
class Found:
    """Place of an element in its group, or None; ``looked`` elements were looked at."""

    at: int | None
    looked: int


def nearest(rows: list[Array], value: float) -> Found:
    """The element whose value is nearest, the first of them."""
    best, at, looked = np.inf, None, 0
    for first, x in pieces(rows, limit=MOST):
        with np.errstate(all="ignore"):
            gap = np.abs(x.astype(np.float64) - value)
        gap = np.where(np.isfinite(gap), gap, np.inf)
        here = int(gap.argmin())
        if gap[here] < best:
            best, at = float(gap[here]), first + here
        looked += x.size
    return Found(at, looked)


def next_tie(rows: list[Array], quantizer: Quantizer, after: int) -> Found:
    """The next element after a place that some way of dividing puts exactly half-way.

    Clipped elements do not count. At the group's end the search goes on from its start.
    """
    step = quantizer.step
    if step is None or not step[0] > 0:
        return Found(None, 0)
    total, looked = sum(row.shape[1] for row in rows), 0
    for start, limit in ((after + 1, min(MOST, total)), (0, min(after + 1, MOST))):
        for first, x in pieces(rows, start, min(limit, MOST - looked)):
            hit = np.flatnonzero(ties(x, float(step[0])))
            hit = hit[~clipped(quantizer, x[hit])]
            if hit.size:
                return Found(first + int(hit[0]), looked + int(hit[0]) + 1)
            looked += x.size
    return Found(None, min(looked, total))


def largest_error(rows: list[Array], quantizer: Quantizer) -> Found:
    """The finite element with the largest |error|, the first of them."""
    worst, at, looked = -np.inf, None, 0
    for first, x in pieces(rows, limit=MOST):
        with np.errstate(all="ignore"):
            y = xp.host(quantizer.fake_quantize(x[None, :]))[0].astype(np.float64)
            error = np.abs(y - x)
        error = np.where(np.isfinite(error), error, -np.inf)
        here = int(error.argmax())
        if error[here] > worst:
            worst, at = float(error[here]), first + here
        looked += x.size
    return Found(at, looked)


@np.errstate(all="ignore")
def clipped(quantizer: Quantizer, x: np.ndarray) -> np.ndarray:
    """Whether the code before clamping lies outside the ends, bool."""
    low, high = quantizer.ends
    codes = np.asarray(xp.host(quantizer.encode(x[None, :])))[0]
    return ~((codes >= low) & (codes <= high))
