"""TI's range utilities, step by step: histogram, search for the kept bins, range."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.ti.errors import TiAssertionError
from qviz.dialects.ti.histogram import Shares, TiHistogram, is_thinned, starts, thinned
from qviz.dialects.ti.percentile import kept_bins, shrunk
from qviz.errors import QvizError
from qviz.stats.base import Batch
from qviz.xp import Array

Pair = tuple[Array, Array]
RULE = TiHistogram()


def extrema_fast(
    src: Array,
    range_shrink_percentile: float | None = 0.0,
    channel_mean: bool = False,
    sigma: float = 0.0,
    fast_mode: bool = True,
    *,
    seed: int | None = None,
) -> Pair:
    """``extrema`` with fast mode on unless it is switched off."""
    return extrema(src, range_shrink_percentile, channel_mean, sigma, fast_mode, seed=seed)


def extrema(
    src: Array,
    range_shrink_percentile: float | None = 0.0,
    channel_mean: bool = False,
    sigma: float = 0.0,
    fast_mode: bool = False,
    *,
    seed: int | None = None,
) -> Pair:
    """(min, max) of a tensor, float32, by the first of four rules that is asked for.

    All three off: its extremes. ``range_shrink_percentile``: cut that many percent of the
    elements on each side, on a histogram (``tensor_histogram``, ``extrema_hist_search``).
    ``channel_mean``: of 4-D tensors the mean over axis 1 of each channel's extremes, else the
    extremes. ``sigma``: mean -/+ sigma * unbiased standard deviation. NaN and infinities come
    through as they do there; where TI's own code stops (a constant tensor, NaN or an infinity in
    the histogram) the finite elements answer, a constant v as (v, v).

    Parameters
    ----------
    seed : int, optional
        Of the row and column starts in fast mode. Without it Python's own ``random`` draws
        them, as it does there.

    Raises
    ------
    TiAssertionError
        Nothing is asked for, but not all is off: a percentile of None.
    QvizError
        No element; no finite element for the histogram; a single one for ``sigma``.
    """
    x = float32_of(src)
    if range_shrink_percentile == 0 and sigma == 0 and channel_mean == 0:
        return ends_of(x)
    if range_shrink_percentile:
        lo, hi = shrunk(histogram_of(x, fast_mode, source_of(seed)), range_shrink_percentile)
        return _as(lo, x), _as(hi, x)
    if channel_mean:
        return _channel_mean(x)
    if sigma:
        return _sigma(x, sigma)
    raise TiAssertionError(
        "No rule for the range is asked for.",
        f"range_shrink_percentile is {range_shrink_percentile!r}, which is not off.",
        "Give 0.0, or a rule.",
    )


def tensor_histogram(
    src: Array, fast_mode: bool = False, *, seed: int | None = None
) -> tuple[np.ndarray | None, Array, Array, Any, Any]:
    """(hist_percent, mn, mx, mult_factor, offset): 256 bins in percent, and how they were laid.

    bin = half-even round((x - offset) * mult_factor), mult_factor = 1 / (mx - mn) * 255, offset =
    mn; float32, hist_percent NumPy. A tensor of zeros gives (None, mn, mx, 1.0, 0.0), and so does
    one of any other constant, at which TI's own code stops.
    """
    x = float32_of(src)
    made = histogram_of(x, fast_mode, source_of(seed))
    lo, hi = _as(made.lo, x), _as(made.hi, x)
    if made.percent is None:
        return None, lo, hi, 1.0, 0.0
    return made.percent, lo, hi, _as(made.factor, x), lo


def extrema_hist_search(hist_array: Array, range_shrink_percentile: float) -> tuple[int, int]:
    """(new_mn_scaled, new_mx_scaled): lowest and highest bin that are kept.

    The last bin, from each side, whose running sum is below the percentile (strictly, in the
    type of the histogram); else the first and the last bin. The two sums do not know of each
    other, so above 50 percent the bins may cross.
    """
    hist = xp.host(hist_array) if hasattr(hist_array, "dtype") else np.asarray(hist_array)
    if hist.ndim != 1 or not hist.size:
        raise QvizError(f"A histogram of shape {hist.shape} has no bins.", "It is one row of them.")
    return kept_bins(hist, range_shrink_percentile)


def float32_of(src: Any) -> Array:
    """``src`` admitted, as float32; a tensor stays one. Raises QvizError where it is empty."""
    entered = xp.enter(src)
    x = entered if xp.namespace(src) is np else src.detach()
    if not xp.size(x):
        raise QvizError("An empty tensor has no range.", "", "Leave it out.")
    with np.errstate(over="ignore"):
        return xp.astype(x, "float32")


def source_of(seed: int | None) -> Any:
    """Where row and column starts are drawn from."""
    return random if seed is None else random.Random(seed)


def histogram_of(x: Array, fast_mode: bool, source: Any) -> Shares:
    """Histogram of the finite elements, thinned first in fast mode."""
    if fast_mode and is_thinned(x):
        x = thinned(x, starts(source))
    batches = RULE.step(RULE.start(), Batch(x)).batches
    if not batches:
        raise QvizError(
            "There is no finite element to take a range from.",
            "All of the tensor is NaN or infinite.",
            "Look at where it comes from.",
        )
    return batches[0]


def ends_of(x: Array) -> Pair:
    """Smallest and largest element; NaN where there is one."""
    ns, flat = xp.namespace(x), x.reshape(-1)
    return ns.amin(flat, 0), ns.amax(flat, 0)


def _channel_mean(x: Array) -> Pair:
    if len(x.shape) != 4:
        return ends_of(x)
    ns = xp.namespace(x)
    rows = ns.moveaxis(x, 1, 0).reshape(x.shape[1], -1)
    return _mean(ns.amin(rows, 1)), _mean(ns.amax(rows, 1))


@np.errstate(all="ignore")
def _sigma(x: Array, sigma: float) -> Pair:
    if xp.size(x) < 2:
        raise QvizError("A single element has no standard deviation.", "", "Give more of them.")
    ns, mean = xp.namespace(x), _mean(x)
    half = ns.std(x) if ns is not np else np.std(x, ddof=1, dtype=np.float64).astype(np.float32)
    half = half * float(sigma)
    return mean - half, mean + half


def _mean(x: Array) -> Array:
    """Mean in float32; of a tensor in its own order of additions, else summed in float64."""
    ns = xp.namespace(x)
    return ns.mean(x) if ns is not np else np.mean(x, dtype=np.float64).astype(np.float32)


def _as(value: np.float32, x: Array) -> Array:
    """``value`` as the kind of array that ``x`` is, 0-d."""
    ns = xp.namespace(x)
    return value if ns is np else ns.tensor(float(value), dtype=ns.float32, device=x.device)
