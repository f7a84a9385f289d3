"""Metrics of how codes are used."""

from __future__ import annotations

import numpy as np

from qviz.metrics.base import METRICS, Totals, ratio
from qviz.registry import Source

SOURCE = Source("qviz", "metrics: codes", "1")
NOT_COUNTED = "codes are not counted where groups times codes are over 4 million"


@METRICS.register(
    "codes_used",
    title="Codes used",
    source=SOURCE,
    unit="codes",
    better="",
    decimals=0,
    rough=True,
    absent=NOT_COUNTED,
)
def codes_used(t: Totals) -> np.ndarray:
    """Number of distinct codes that occur."""
    if t.codes is None:
        return np.full(t.groups, np.nan)
    return (t.codes >= 0.5).sum(axis=1).astype(np.float64)  # a sketch spreads parts of elements


@METRICS.register(
    "code_entropy",
    title="Code entropy",
    source=SOURCE,
    unit="bits",
    better="",
    rough=True,
    absent=NOT_COUNTED,
)
def code_entropy(t: Totals) -> np.ndarray:
    """-sum p log2 p over the share p of each code, in bits."""
    if t.codes is None:
        return np.full(t.groups, np.nan)
    p = ratio(t.codes, t.codes.sum(axis=1, keepdims=True))
    return np.maximum(-(p * np.log2(np.where(p > 0, p, 1.0))).sum(axis=1), 0.0) + 0.0


@METRICS.register(
    "zeroed_share",
    title="Turned to zero",
    source=SOURCE,
    unit="",
    better="low",
    rough=True,
    absent="every x is 0",
)
def zeroed_share(t: Totals) -> np.ndarray:
    """Non-zero x that come back as 0 / non-zero x, without unit."""
    return ratio(t.zeroed, t.nonzero)
