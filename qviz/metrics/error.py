"""Metrics of the error's size."""

from __future__ import annotations

import numpy as np

from qviz.metrics.base import METRICS, Totals, decibels, ratio
from qviz.registry import Source

SOURCE = Source("qviz", "metrics: error", "1")
NO_ENERGY = "x has no energy"
NO_STEP = "the grid has no even step"


@METRICS.register("mse", title="MSE", source=SOURCE, unit="units²", better="low")
def mse(t: Totals) -> np.ndarray:
    """mean(e^2), in squared input units."""
    return ratio(t.ee, t.n)


@METRICS.register(
    "rmse_steps", title="RMSE in steps", source=SOURCE, unit="steps", better="low", absent=NO_STEP
)
def rmse_steps(t: Totals) -> np.ndarray:
    """sqrt(mse) / scale, in steps.

    Rounding of spread-out values alone gives 1/sqrt(12) = 0.289. Values that are levels already
    cost nothing, so it may be less; above it there is clipping.
    """
    return np.sqrt(ratio(t.ee_steps, t.n))


@METRICS.register(
    "sqnr", title="SQNR", source=SOURCE, unit="dB", better="high", decimals=1, absent=NO_ENERGY
)
def sqnr(t: Totals) -> np.ndarray:
    """10 log10(sum x^2 / sum e^2), in dB; +inf where nothing is lost.

    A large mean flatters it: see sqnr_centered.
    """
    return decibels(t.xx, t.ee)


@METRICS.register(
    "sqnr_centered",
    title="SQNR centred",
    source=SOURCE,
    unit="dB",
    better="high",
    decimals=1,
    absent="x is constant",
)
def sqnr_centered(t: Totals) -> np.ndarray:
    """10 log10(sum (x - mean x)^2 / sum e^2), in dB; +inf where nothing is lost."""
    return decibels(np.where(t.x_max > t.x_min, t.m2, 0.0), t.ee)


@METRICS.register(
    "psnr",
    title="PSNR",
    source=SOURCE,
    unit="dB",
    better="high",
    decimals=1,
    absent="x is constant",
)
def psnr(t: Totals) -> np.ndarray:
    """10 log10((max x - min x)^2 / mse), in dB; +inf where nothing is lost."""
    with np.errstate(all="ignore"):
        peak = np.where(t.n > 0, t.x_max - t.x_min, np.nan)
        return decibels(peak, np.sqrt(mse(t))) * 2  # the square of the peak could overflow


@METRICS.register(
    "cosine",
    title="Cosine",
    source=SOURCE,
    unit="",
    better="high",
    absent="x or what comes back has no energy",
)
def cosine(t: Totals) -> np.ndarray:
    """Cosine of x and y: sum x y / (sqrt(sum x^2) sqrt(sum y^2)), from -1 to 1, without unit."""
    return np.clip(ratio(ratio(t.xy, np.sqrt(t.xx)), np.sqrt(t.yy)), -1.0, 1.0)


@METRICS.register(
    "max_abs_error",
    title="Largest error",
    source=SOURCE,
    unit="units",
    better="low",
    rough=True,
)
def max_abs_error(t: Totals) -> np.ndarray:
    """Largest |e|: max |y - x|, in input units."""
    return np.where(t.n > 0, t.max_e, np.nan)


@METRICS.register(
    "mean_abs_error", title="Mean error size", source=SOURCE, unit="units", better="low"
)
def mean_abs_error(t: Totals) -> np.ndarray:
    """mean(|e|), in input units."""
    return ratio(t.ae, t.n)


@METRICS.register("bias", title="Bias", source=SOURCE, unit="units", better="")
def bias(t: Totals) -> np.ndarray:
    """mean(e), in input units; best near 0."""
    return ratio(t.e, t.n)


@METRICS.register(
    "bias_steps", title="Bias in steps", source=SOURCE, unit="steps", better="", absent=NO_STEP
)
def bias_steps(t: Totals) -> np.ndarray:
    """mean(e) / scale, in steps; best near 0.

    About one step up or down: encoder and decoder use different zero points.
    """
    return ratio(t.e_steps, t.n)


@METRICS.register(
    "relative_l1",
    title="Relative L1",
    source=SOURCE,
    unit="",
    better="low",
    absent="every x is 0",
)
def relative_l1(t: Totals) -> np.ndarray:
    """Error over signal: sum |e| / sum |x|, without unit."""
    return ratio(t.ae, t.ax)


@METRICS.register(
    "js",
    title="Jensen-Shannon",
    source=SOURCE,
    unit="nats",
    better="low",
    rough=True,
    absent="it needs the bins of one group whose x is not constant",
)
def js(t: Totals) -> np.ndarray:
    """(sum p ln(p/m) + sum q ln(q/m)) / 2 with m = (p + q) / 2, in nats, 0 to ln 2.

    p and q are the shares of x and of what comes back in 256 equal bins over [min x, max x];
    what lies outside counts in the end bins. No smoothing.
    """
    if t.x_bins is None or t.y_bins is None:
        return np.full(t.groups, np.nan)
    n = np.where((t.n > 0) & (t.x_max > t.x_min), t.n, np.nan)[:, None]
    p, q = t.x_bins / n, t.y_bins / n
    middle = (p + q) / 2
    return np.maximum((_divergence(p, middle) + _divergence(q, middle)) / 2, 0.0)


def _divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Sum of p ln(p/q) where p > 0; q is not 0 there."""
    return (p * np.log(np.where(p > 0, p, 1.0) / np.where(p > 0, q, 1.0))).sum(axis=1)
