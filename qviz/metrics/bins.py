"""Counts per column: elements per code, and per bin of the Jensen-Shannon divergence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BINS = 256


@dataclass(frozen=True, eq=False)
class Frame:
    """Extremes of the finite elements per group, (groups,): where the bins of x and y lie."""

    lo: np.ndarray
    hi: np.ndarray


def bin_of(values: np.ndarray, frame: Frame) -> np.ndarray:
    """Bin 0..255 over [lo, hi] of each value, int32; outside counts in the end bins."""
    lo, hi = frame.lo[:, None], frame.hi[:, None]
    width = (hi - lo) / BINS
    at = values - np.where(np.isfinite(lo), lo, 0.0)
    at /= np.where((width > 0) & np.isfinite(width), width, 1.0)
    return np.clip(at, 0, BINS - 1, out=at).astype(np.int32)


def counts(at: np.ndarray, columns: int, weight: np.ndarray | None = None) -> np.ndarray:
    """Weight per group and column, (groups, columns), float64.

    ``at`` holds each element's column, (groups, elements); ``weight`` has its shape, or is None
    where each counts once.
    """
    groups, flat = len(at), at.astype(np.int32, copy=False)
    if groups > 1:
        flat = flat + (np.arange(groups, dtype=np.int32) * columns)[:, None]
    weight = None if weight is None else weight.ravel()
    found = np.bincount(flat.ravel(), weight, minlength=groups * columns)
    return found.astype(np.float64).reshape(groups, columns)
