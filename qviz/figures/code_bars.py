"""Stored codes, one bar each, over the reals that they stand for."""

from __future__ import annotations

import numpy as np

from qviz.figures.bins import Bins
from qviz.figures.histogram import count_axis
from qviz.figures.theme import CLEAR, Figure, Margins, Palette, axis, layout

HEIGHT = 150
STUB = 0.12  # of the height: a hollow bar, for a code that no element has
WIDTH = 0.9  # of the distance between codes
LEVELS, CODES = "scale · (code − zero point)", "code"


def code_bars(
    first: int,
    counts: np.ndarray,
    palette: Palette,
    *,
    scale: float | None = None,
    zero_point: float = 0.0,
) -> Figure:
    """Elements per code on a log scale; codes between the ends that no element has are hollow.

    Parameters
    ----------
    first : int
        The smallest code.
    counts : np.ndarray
        Elements with that code and with each one after it, up to the largest.
    scale, zero_point : float
        The axis shows scale · (code − zero_point); the codes themselves without a scale.
    """
    codes = first + np.arange(counts.size)
    levels = codes if scale is None else scale * (codes - zero_point)
    step = 1.0 if scale is None else scale
    tall: Figure = count_axis(Bins(np.array([0.0, 1.0]), counts), palette)
    tall["title"] = {"text": ""}
    low, high = tall["range"]
    used = counts > 0
    stub = np.full(counts.size, 10.0 ** (low + STUB * (high - low)))
    bars = {"type": "bar", "width": WIDTH * step}
    solid = {"color": palette.fill, "line": {"color": palette.edge, "width": 0.6}}
    hollow = {"color": CLEAR, "line": {"color": palette.muted, "width": 1}}
    wide = axis(palette, CODES if scale is None else LEVELS) | {
        "range": [levels[0] - 0.6 * step, levels[-1] + 0.6 * step],
        "fixedrange": True,
    }
    data = [
        bars | _at(codes, levels, counts, used, "%{y:,.0f} values") | {"marker": solid},
        bars | _at(codes, levels, stub, ~used, "no value") | {"marker": hollow},
    ]
    frame = layout(palette, HEIGHT, Margins(36, 8, 8, 44)) | {"barmode": "overlay"}
    return {"data": data, "layout": frame | {"xaxis": wide, "yaxis": tall}}


def _at(
    codes: np.ndarray, levels: np.ndarray, heights: np.ndarray, chosen: np.ndarray, many: str
) -> Figure:
    """Places, heights and words of the chosen bars."""
    return {
        "x": levels[chosen].tolist(),
        "y": heights[chosen].tolist(),
        "customdata": codes[chosen].tolist(),
        "hovertemplate": f"code %{{customdata}}, level %{{x:.6~g}}: {many}<extra></extra>",
    }
