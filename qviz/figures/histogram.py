"""The histogram as one stepped line with fill, over a logarithmic count."""

from __future__ import annotations

import math

import numpy as np

from qviz.figures.bins import Bins
from qviz.figures.numbers import power_of_ten
from qviz.figures.theme import Figure, Palette, axis

FLOOR = 0.3  # where empty bins are drawn: below the frame
BOTTOM = math.log10(0.7)  # one element stands well above it
COUNTS = "values per bin (log)"


def steps(bins: Bins, palette: Palette) -> Figure:
    """Trace of the counts; its x is a start and a step, so that narrow bins stay apart."""
    counts = np.append(bins.counts, bins.counts[-1])  # the last step needs its right end
    start, end = bins.view
    return {
        "type": "scatter",
        "mode": "lines",
        "x0": start,
        "dx": (end - start) / bins.counts.size,
        "y": np.where(counts > 0, counts, FLOOR).astype(np.float32),
        "line": {"shape": "hv", "width": 1, "color": palette.edge},
        "fill": "tozeroy",
        "fillcolor": palette.fill,
        "hovertemplate": "%{x:.4~g}: %{y:,.0f} values<extra></extra>",
    }


def count_axis(bins: Bins, palette: Palette) -> Figure:
    """Logarithmic axis of counts with at most five powers of ten."""
    top = math.log10(max(float(bins.counts.max(initial=1.0)), 1.0))
    stride = max(1, math.ceil((top + 0.01) / 4.5))
    powers = range(0, math.ceil(top) + 1, stride)
    return axis(palette, COUNTS, grid=True) | {
        "type": "log",
        "range": [BOTTOM, top + 0.08 * (top - BOTTOM) + 0.1],
        "tickvals": [10.0**p for p in powers],
        "ticktext": [power_of_ten(p) for p in powers],
        "fixedrange": True,
    }
