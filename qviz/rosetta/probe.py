"""Probe tensors: the values on which rules can differ at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.metrics.boundaries import boundaries
from qviz.quantizers.base import Quantizer
from qviz.rosetta.answers import Answer

BEYOND = 1.5  # how far outside the grid the probe goes on, in widths
HALVES = 0.5


def probe(given: Sequence[Answer]) -> np.ndarray:
    """Float32 values, ascending, at which some rule changes its code, (n,).

    Of every change the first value above it and the last one below, and the middles between
    levels. Codes of a rule change nowhere else, so rules that agree here agree on every float32
    between the ends.
    """
    parts = [np.zeros(1, np.float32)]
    for answer in given:
        if answer.quantizer is not None and answer.scale:
            parts.append(_edges(answer.quantizer))
    found = np.unique(np.concatenate(parts))
    return found[np.isfinite(found)]


def inside(x: np.ndarray, lo: float, hi: float) -> np.ndarray:
    """Those values of a probe that a tensor of this range can hold."""
    with np.errstate(over="ignore"):
        low, high = np.float32(lo), np.float32(hi)
    return x[(x >= low) & (x <= high)]


@np.errstate(all="ignore")
def _edges(made: Quantizer) -> np.ndarray:
    at = boundaries(made, 1)[0]
    at = at[np.isfinite(at) & (np.abs(at) < np.finfo(np.float32).max)].astype(np.float32)
    below = np.nextafter(at, np.float32(-np.inf))
    levels = made.levels()[0]
    width = levels[-1] - levels[0]
    outside = [levels[0] - width * BEYOND, levels[-1] + width * BEYOND]
    middles = (levels[1:] + levels[:-1]) * HALVES
    wide = np.concatenate([middles, levels, outside]).astype(np.float32)
    return np.concatenate([at, below, wide])
