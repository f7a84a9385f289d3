"""Metrics of clipping: an element is clipped when its code before clamping lies outside the ends.

Codes are rounded first, so an element up to half a step beyond the last level is not clipped.
"""

from __future__ import annotations

import numpy as np

from qviz.metrics.base import METRICS, Totals, ratio
from qviz.metrics.error import NO_ENERGY
from qviz.registry import Source

SOURCE = Source("qviz", "metrics: clipping", "1")


@METRICS.register(
    "clipped", title="Clipped", source=SOURCE, unit="elements", better="", decimals=0, rough=True
)
def clipped(t: Totals) -> np.ndarray:
    """Number of elements whose code before clamping lies outside [quant_min, quant_max]."""
    return t.clipped_low + t.clipped_high


@METRICS.register(
    "clipped_low",
    title="Clipped below",
    source=SOURCE,
    unit="elements",
    better="",
    decimals=0,
    rough=True,
)
def clipped_low(t: Totals) -> np.ndarray:
    """Number of elements whose code before clamping is below quant_min."""
    return t.clipped_low


@METRICS.register(
    "clipped_high",
    title="Clipped above",
    source=SOURCE,
    unit="elements",
    better="",
    decimals=0,
    rough=True,
)
def clipped_high(t: Totals) -> np.ndarray:
    """Number of elements whose code before clamping is above quant_max."""
    return t.clipped_high


@METRICS.register(
    "clipped_share", title="Clipped share", source=SOURCE, unit="", better="", rough=True
)
def clipped_share(t: Totals) -> np.ndarray:
    """Share of clipped elements: clipped / n, without unit."""
    return ratio(clipped(t), t.n)


@METRICS.register(
    "clipped_energy",
    title="Clipped energy",
    source=SOURCE,
    unit="",
    better="low",
    rough=True,
    absent=NO_ENERGY,
)
def clipped_energy(t: Totals) -> np.ndarray:
    """Sum of e^2 over clipped elements / sum x^2, without unit.

    To be read beside the share: 0.02 % of the elements can be a fifth of the energy.
    """
    return ratio(t.ee_low, t.xx) + ratio(t.ee_high, t.xx)


@METRICS.register(
    "clip_mse", title="MSE of clipping", source=SOURCE, unit="units²", better="low", rough=True
)
def clip_mse(t: Totals) -> np.ndarray:
    """Sum of e^2 over clipped elements / n, in squared input units; with round_mse the MSE."""
    return ratio(t.ee_low, t.n) + ratio(t.ee_high, t.n)


@METRICS.register("round_mse", title="MSE of rounding", source=SOURCE, unit="units²", better="low")
def round_mse(t: Totals) -> np.ndarray:
    """Sum of e^2 over the others / n, in squared input units; with clip_mse the MSE."""
    return ratio(t.ee_inside, t.n)
