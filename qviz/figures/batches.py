"""Calibration as it goes: the range after each batch, over each batch's extremes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qviz.figures.labels import GAP, End, named_ends
from qviz.figures.numbers import interval
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment, words

HEIGHT = 300  # pixels
MARGINS = Margins(62, 40, 42, 46)
MOST_POINTS = 2048
Ends = Sequence[float | None] | np.ndarray


def range_by_batch(
    lo: Ends, hi: Ends, batch_lo: Ends, batch_hi: Ends, palette: Palette, upto: int
) -> Figure:
    """Band from lo to hi after batch 1, 2 ..., ticks at each batch's own extremes.

    The band is blue up to batch ``upto``, where the range is written; pale beyond. Batches
    without a value (None, or not finite) are left out.
    """
    running = [_column(v) for v in (lo, hi)]
    batches = [_column(v) for v in (batch_lo, batch_hi)]
    count = running[0].size
    upto = min(max(upto, 1), max(count, 1))
    base = layout(palette, HEIGHT, MARGINS)
    base["xaxis"] = axis(palette, "batch") | {"range": [0.5, max(count, 1) + 0.5]}
    base["yaxis"] = axis(palette, "tensor value", grid=True) | {"range": _view(running + batches)}
    if count <= 12:
        base["xaxis"]["dtick"] = 1
    if count:
        base["shapes"].append(segment(palette.highlights[0], (upto, upto), (0.0, 1.0)))
        base["annotations"] += [_here(running, upto, count, palette), _legend(palette)]
        base["annotations"] += _names(running, upto == count, base["yaxis"]["range"], palette)
    number = np.arange(1, count + 1)
    seen, later = number <= upto, number >= upto
    blue = {"color": palette.highlights[0], "width": 2}
    pale = {"color": palette.rest, "width": 1.5}
    return {
        "data": [
            *_band(number, running, later, pale, "rgba(0,0,0,0)"),
            *_band(number, running, seen, blue, faint(palette.highlights[0])),
            _ticks(number, batches, palette),
        ],
        "layout": base,
    }


def faint(color: str, alpha: float = 0.16) -> str:
    """A colour that lets the grid through: ``#0072B2`` becomes ``rgba(0,114,178,0.16)``."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def _column(values: Ends) -> np.ndarray:
    return np.array([math.nan if v is None else float(v) for v in values], np.float64)


def _view(columns: Sequence[np.ndarray]) -> list[float]:
    values = np.concatenate(columns)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (-1.0, 1.0)
    room = 0.06 * (high - low) or max(abs(high), 1.0) / 2
    return [low - room, high + room]


def _thinned(keep: np.ndarray) -> np.ndarray:
    """Places of True, at most 2048, the last one among them."""
    there = np.flatnonzero(keep)
    if there.size <= MOST_POINTS:
        return there
    return there[np.linspace(0, there.size - 1, MOST_POINTS).round().astype(int)]


def _band(
    number: np.ndarray, ends: Sequence[np.ndarray], keep: np.ndarray, line: Figure, fill: str
) -> list[Figure]:
    at = _thinned(keep & np.isfinite(ends[0]) & np.isfinite(ends[1]))
    if not at.size:
        return []
    hover = "after batch %{x}: %{y:.4~g}<extra></extra>"
    lower, upper = (
        {
            "type": "scatter",
            "mode": "lines",
            "x": number[at].tolist(),
            "y": end[at].astype(np.float32),
            "line": line,
            "hovertemplate": hover,
        }
        for end in ends
    )
    return [lower, upper | {"fill": "tonexty", "fillcolor": fill}]


def _ticks(number: np.ndarray, ends: Sequence[np.ndarray], palette: Palette) -> Figure:
    """A short grey stroke at the lowest and the highest element of each batch."""
    at = [_thinned(np.isfinite(end)) for end in ends]
    size = float(np.clip(240 / max(number.size, 1), 2, 7))
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.concatenate([number[part] for part in at]).tolist(),
        "y": np.concatenate([end[p] for end, p in zip(ends, at, strict=True)]).astype(np.float32),
        "marker": {
            "symbol": "line-ew",
            "size": size,
            "opacity": 1,
            "line": {"color": palette.edge, "width": 2},
        },
        "hovertemplate": "batch %{x} reaches %{y:.4~g}<extra></extra>",
    }


def _legend(palette: Palette) -> Figure:
    """Words that say what the grey strokes are, on the upper of two lines over the panel."""
    text = f'<b style="color:{palette.edge}">–</b> lowest and highest value of each batch'
    place = {"xanchor": "left", "yanchor": "bottom", "yshift": GAP}
    return words(text, palette.muted, x=0.0, y=1.0, **place)


def _names(
    running: Sequence[np.ndarray], done: bool, view: Sequence[float], palette: Palette
) -> list[Figure]:
    color = palette.highlights[0] if done else palette.muted
    last = [(name, end[-1]) for name, end in zip(("lo", "hi"), running, strict=True)]
    ends = [End(name, color, running[0].size, float(y)) for name, y in last if math.isfinite(y)]
    return named_ends(ends, (view[0], view[1]), HEIGHT - MARGINS.top - MARGINS.bottom)


def _here(running: Sequence[np.ndarray], upto: int, count: int, palette: Palette) -> Figure:
    lo, hi = (float(end[upto - 1]) for end in running)
    reach = interval(lo, hi) if math.isfinite(lo) and math.isfinite(hi) else "no range yet"
    share = (upto - 0.5) / count
    anchor = "left" if share < 0.33 else "right" if share > 0.67 else "center"
    text = f"<b>after batch {upto} of {count}: {reach}</b>"
    return words(text, palette.highlights[0], x=share, y=1.0, xanchor=anchor, yanchor="bottom")
