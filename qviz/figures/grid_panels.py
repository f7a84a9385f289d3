"""The panels of the grid picture: histogram, staircase, error, codes."""

from __future__ import annotations

import numpy as np

from qviz.figures.bins import Bins
from qviz.figures.grid_data import LINES, GridData, part
from qviz.figures.histogram import BOTTOM, FLOOR, count_axis, steps
from qviz.figures.numbers import integer, number
from qviz.figures.theme import CLEAR, Figure, Palette, axis

BARS = 512  # codes in view above which neighbours share a bar
STUB = 0.16  # of the panel: height of a hollow bar
TEETH = 4.0  # half steps of error in view, where clipping goes beyond
Points = np.ndarray | list[float]


def histogram(data: GridData, palette: Palette) -> list[Figure]:
    """Counts, level lines, and columns that can be clicked; they carry their bin's centre."""
    top = count_axis(data.bins, palette)["range"][1]
    traces = [steps(data.bins, palette) | {"hoverinfo": "skip", "hovertemplate": None}]
    if 0 < data.levels.size <= LINES:
        x = np.repeat(data.levels, 3)
        x[2::3] = np.nan
        y = np.tile([10.0**BOTTOM, 10.0**top, np.nan], data.levels.size)
        line = {"color": palette.mark(0), "width": 1}
        traces.append(
            {"type": "scatter", "mode": "lines", "x": _listed(x), "y": _listed(y),
             "line": line, "opacity": 0.85, "hoverinfo": "skip"}
        )  # fmt: skip
    return [*traces, _columns(data.bins, top)]


def _columns(bins: Bins, top: float) -> Figure:
    """Clear bars over the bins that hold values, as high as the panel: a bin is easy to hit."""
    used = np.flatnonzero(bins.counts > 0)
    start, end = bins.view
    width = (end - start) / bins.counts.size
    centres = start + (used + 0.5) * width
    return {
        "type": "bar",
        "x": centres,
        "y": np.full(used.size, 10.0**top, np.float32),
        "width": width,
        "customdata": centres,
        "text": [integer(int(n)) for n in bins.counts[used]],
        "textposition": "none",
        "marker": {"color": CLEAR, "line": {"width": 0}},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "hovertemplate": "%{x:.4~g}: %{text} values<br>click: why?<extra></extra>",
    }


def staircase(data: GridData, palette: Palette) -> list[Figure]:
    """What comes back, over a thin identity."""
    lo, hi = data.view
    identity = {"color": palette.muted, "width": 1, "dash": "dot"}
    x, y = data.stairs
    return [
        _line([lo, hi], [lo, hi], identity, "y2") | {"hoverinfo": "skip"},
        _line(x, y, {"color": palette.mark(0), "width": 2.2}, "y2")
        | {"hovertemplate": "%{x:.5~g} comes back as %{y:.5~g}<extra></extra>"},
    ]


def error(data: GridData, palette: Palette) -> list[Figure]:
    """The saw-tooth, or a band where it is too fine; clipping outside the ends of the codes."""
    lo, hi = data.clip
    if data.fine:
        return _band(data, palette)
    sides = (
        (part(data.error, lo, hi), palette.ink, 1.2),
        (part(data.error, -np.inf, lo), palette.mark(1), 2.2),
        (part(data.error, hi, np.inf), palette.mark(1), 2.2),
    )
    label = {"hovertemplate": "%{x:.5~g}: error %{y:.4~g}<extra></extra>"}
    return [
        _line(x, y, {"color": color, "width": width}, "y3") | label
        for (x, y), color, width in sides
        if x.size
    ]


def _band(data: GridData, palette: Palette) -> list[Figure]:
    """Smallest and largest error of each column, filled in between; a line where it clips."""
    x, y = (v.reshape(-1, 2) for v in data.error)
    hover = {"hovertemplate": "%{x:.5~g}: error up to %{y:.4~g}<extra></extra>"}
    edge, clip = {"color": palette.ink, "width": 0.6}, {"color": palette.mark(1), "width": 2.2}
    below, above = x[:, 0] < data.clip[0], x[:, 0] > data.clip[1]
    inside = ~(below | above)
    lower, upper = (
        _line(x[inside, 0], most[inside], edge, "y3") | hover
        for most in (y.min(axis=1), y.max(axis=1))
    )
    sides = [_line(x[s, 0], y[s].mean(axis=1), clip, "y3") | hover for s in (below, above)]
    return [lower, upper | {"fill": "tonexty", "fillcolor": palette.fill}, *sides]


def error_axis(data: GridData, palette: Palette) -> Figure:
    """Symmetric around 0; clipping leaves the frame after a few half steps."""
    most = float(np.abs(data.error[1]).max(initial=0.0))
    reach = min(most, TEETH * data.half) if data.half else most
    reach = max(reach, data.half, np.finfo(np.float32).tiny) * 1.12
    ticks = [-data.half, 0.0, data.half] if data.half else [0.0]
    return axis(palette, "", grid=True) | {
        "range": [-reach, reach],
        "tickvals": ticks,
        "ticktext": [number(t, 2) if t else "" for t in ticks],
        "fixedrange": True,
    }


def codes(data: GridData, palette: Palette) -> tuple[list[Figure], Figure]:
    """Values per code at its level, unused codes hollow; and the axis."""
    if data.counts is None or not data.levels.size:
        return [], axis(palette) | {"range": [0, 1], "visible": False, "fixedrange": True}
    counts = np.round(data.counts)
    at = np.linspace(0, counts.size, BARS // 2 + 1).astype(int) if counts.size > BARS else None
    heights = counts if at is None else np.add.reduceat(counts, at[:-1])
    scale = count_axis(Bins(np.array(data.view), np.maximum(heights, 1.0)), palette)
    scale["title"] = {"text": ""}
    if at is not None:
        return [_crowd(data.levels[at[:-1]], heights, palette)], scale
    width = _widths(data.levels)
    used = data.counts >= 0.5
    low, high = scale["range"]
    hollow = {"marker": {"color": CLEAR, "line": {"color": palette.muted, "width": 1}}}
    solid = {"marker": {"color": palette.fill, "line": {"color": palette.edge, "width": 0.6}}}
    stub = np.full(data.counts.shape, 10.0 ** (low + STUB * (high - low)))
    return [
        _bars(data, np.maximum(counts, 1.0), width, used, solid),
        _bars(data, stub, width, ~used, hollow),
    ], scale


def _bars(
    data: GridData, heights: np.ndarray, width: np.ndarray, chosen: np.ndarray, look: Figure
) -> Figure:
    many = "no value" if look["marker"]["color"] == CLEAR else "%{y:,.0f} values"
    return look | {
        "type": "bar",
        "x": data.levels[chosen].astype(np.float32),
        "y": heights[chosen].astype(np.float32),
        "width": width[chosen].astype(np.float32),
        "yaxis": "y4",
        "customdata": data.codes[chosen],
        "hovertemplate": f"code %{{customdata}}, level %{{x:.4~g}}: {many}<extra></extra>",
    }


def _crowd(levels: np.ndarray, sums: np.ndarray, palette: Palette) -> Figure:
    """Neighbouring codes together, as one stepped line."""
    sums = np.where(sums > 0, sums, FLOOR).astype(np.float32)
    line = {"color": palette.edge, "width": 1, "shape": "hv"}
    said = "codes near %{x:.4~g}: %{y:,.0f} values<extra></extra>"
    fill = {"fill": "tozeroy", "fillcolor": palette.fill, "hovertemplate": said}
    return _line(levels, sums, line, "y4") | fill


def _widths(levels: np.ndarray) -> np.ndarray:
    """Nine tenths of the gap to the nearer neighbour."""
    if levels.size < 2:
        return np.ones(levels.size)
    gaps = np.diff(levels)
    both = np.minimum(np.append(gaps, gaps[-1]), np.insert(gaps, 0, gaps[0]))
    return 0.9 * both


def _line(x: Points, y: Points, line: Figure, at: str) -> Figure:
    x, y = (np.asarray(v, np.float32) if isinstance(v, np.ndarray) else v for v in (x, y))
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "yaxis": at}


def _listed(values: np.ndarray) -> list[float | None]:
    """A list with None where the line is lifted."""
    return [None if np.isnan(v) else float(v) for v in values]
