"""Pictures of the lesson on clipping and rounding: where the error lies, and its curve."""

from __future__ import annotations

import numpy as np

from qviz.figures.lesson import HEIGHT, HIDDEN, area, dots, line
from qviz.figures.numbers import number
from qviz.figures.theme import CLEAR, Figure, Margins, Palette, axis, layout, segment, words
from qviz.quantizers.base import Quantizer, covered

BINS = 240
MOST_LINES = 64  # level lines that can be told apart
UPPER, LOWER = [0.56, 1.0], [0.0, 0.44]  # of the left picture


def clip_or_round(x: np.ndarray, quantizer: Quantizer, clip: float, palette: Palette) -> Figure:
    """Histogram with levels over the squared error per value, on one axis.

    Parameters
    ----------
    x : array (n,)
        The values; ``quantizer`` has one group.
    clip : float
        Where the clip lines stand, ± in units of x.
    """
    reach = float(np.abs(x).max())
    edges = np.linspace(-reach, reach, BINS + 1)
    rows = np.asarray(x, np.float64).reshape(1, -1)
    error = (np.asarray(quantizer.fake_quantize(rows), np.float64)[0] - x) ** 2
    low, high = quantizer.ends
    code = np.asarray(quantizer.encode(rows))[0]
    outside = (code < low) | (code > high)
    many, cut, rest = (
        np.histogram(x, edges, weights=w)[0] for w in (None, error * outside, error * ~outside)
    )
    made = layout(palette, HEIGHT, Margins(top=22), uirevision="lesson-clip")
    made |= _axes(palette, reach)
    made["shapes"] = [*_clipped(clip, reach, palette), *_levels(quantizer, palette)]
    made["annotations"] = _names(quantizer, palette)
    orange = palette.highlights[1]
    return {
        "data": [
            area(edges, many, palette.edge, palette.fill),
            area(edges, rest, palette.edge, palette.fill, yaxis="y2"),
            area(edges, cut, orange, palette.band, yaxis="y2"),
        ],
        "layout": made,
    }


def _axes(palette: Palette, reach: float) -> Figure:
    bare = {"showticklabels": False, "rangemode": "tozero"}
    return {
        "xaxis": axis(palette, "value") | {"range": [-reach, reach], "anchor": "y2"},
        "yaxis": axis(palette, "how many") | bare | {"domain": UPPER},
        "yaxis2": axis(palette, "squared error") | bare | {"domain": LOWER},
    }


def _clipped(clip: float, reach: float, palette: Palette) -> list[Figure]:
    """Bands over both panels where values are clipped."""
    base = {"type": "rect", "yref": "paper", "layer": "below", "line": {"width": 0}}
    return [
        base
        | {"x0": side * clip, "x1": side * reach, "y0": y0, "y1": y1, "fillcolor": palette.band}
        for side in (-1, 1)
        for y0, y1 in (UPPER, LOWER)
        if clip < reach
    ]


def _levels(quantizer: Quantizer, palette: Palette) -> list[Figure]:
    low, high = quantizer.ends
    if high - low >= MOST_LINES:
        return []
    levels = quantizer.levels()[0]
    return [segment(palette.highlights[0], (v, v), (UPPER[0], UPPER[1])) for v in levels.tolist()]


def _names(quantizer: Quantizer, palette: Palette) -> list[Figure]:
    low, high = quantizer.ends
    step = (covered(quantizer).hi[0] - covered(quantizer).lo[0]) / (high - low)
    text = f"<b>{high - low + 1} levels</b>, one step is {number(step)}"
    side = {"yanchor": "bottom", "xanchor": "left"}
    return [
        words(text, palette.highlights[0], x=0, y=1, **side),
        words("<b>rounding</b> error", palette.muted, x=0.5, y=LOWER[1], yanchor="bottom"),
        words(
            "<b>clipping</b> error", palette.band_words, x=1, y=LOWER[1], yanchor="bottom",
            xanchor="right",
        ),
    ]  # fmt: skip


def error_against_clip(
    clips: np.ndarray,
    clipping: np.ndarray,
    rounding: np.ndarray,
    here: tuple[float, float],
    palette: Palette,
    shown: bool = True,
) -> Figure:
    """Both parts of the MSE and their sum over the clip; ``here`` is the present clip and MSE.

    The best clip is not marked: to find it is the lesson. Without ``shown`` the curves are left
    out.
    """
    whole = clipping + rounding
    top = 3.2 * float(whole.min())
    made = layout(palette, HEIGHT, Margins(top=22), uirevision="lesson-curve")
    made["xaxis"] = axis(palette, "clip", grid=True) | {"range": [0, float(clips[-1])]}
    made["yaxis"] = axis(palette, "mean squared error", grid=True) | {"range": [0, top]}
    falling = here[0] < clips[int(np.argmin(whole))]
    place = {"xref": "x", "yref": "y", "xanchor": "left" if falling else "right"}
    shift = 10 if falling else -10
    blue = palette.highlights[0]
    seen = min(here[1], top)
    made["annotations"] = [
        words("you are here", blue, x=here[0], y=seen, xshift=shift, bgcolor=CLEAR, **place),
    ]
    dot = dots([here[0]], [seen], blue, hoverinfo="skip", hovertemplate=None)
    if not shown:
        made["annotations"].append(words(HIDDEN, palette.muted, x=0.5, y=0.6))
        return {"data": [dot], "layout": made}
    names = _beside(clips, {"both": whole, "rounding": rounding}, top, palette)
    made["annotations"] += names
    curves = [
        line(clips, clipping, palette.highlights[1], "dot", "clipping"),
        line(clips, rounding, palette.edge, "dash", "rounding"),
        line(clips, whole, palette.ink, "solid", "both together"),
    ]
    return {"data": [*curves, dot], "layout": made}


def _beside(
    clips: np.ndarray, curves: dict[str, np.ndarray], top: float, palette: Palette
) -> list[Figure]:
    """Names at the curves' right ends, or where they leave the picture; clipping ends at 0."""
    place = {"xref": "x", "yref": "y", "xanchor": "right", "yanchor": "bottom"}
    notes = [words("clipping", palette.band_words, x=float(clips[-1]), y=0.04 * top, **place)]
    last = int(np.flatnonzero(curves["both"] < 0.9 * top)[-1])
    x, y = float(clips[last]), float(curves["both"][last])
    notes.append(words("both together", palette.ink, x=x, y=y, xshift=-12, **place))
    at = int(np.searchsorted(clips, 0.55 * x))
    below = place | {"xanchor": "left", "yanchor": "top"}
    y = float(curves["rounding"][at])
    notes.append(words("rounding", palette.muted, x=float(clips[at]), y=y, xshift=8, **below))
    return notes
