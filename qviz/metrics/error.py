"""Metrics of the error's size."""

from __future__ import annotations

import numpy as np

from qviz.metrics.base import METRICS, Totals
from qviz.registry import Source

SOURCE = Source("qviz", "metrics: error", "1")


@METRICS.register("mse", title="MSE", source=SOURCE, unit="units²", better="low")
def mse(t: Totals) -> np.ndarray:
    """mean(e^2), in squared input units."""
    return t.ee / t.n
