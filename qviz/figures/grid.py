"""The quantization grid: histogram with levels, staircase, error and codes on one x axis."""

from __future__ import annotations

import math

from qviz.figures.grid_data import LINES, GridData, around, grid_data, window
from qviz.figures.grid_panels import codes, error, error_axis, histogram, staircase
from qviz.figures.histogram import count_axis
from qviz.figures.numbers import integer, number, percent, until_they_differ
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment, words

__all__ = ["GridData", "around", "bins_in_view", "grid_data", "quantization_grid", "window"]

BRACKETS, HISTOGRAM, STAIRS, ERROR, CODES, GAP = 44, 128, 160, 100, 92, 25  # pixels
LEFT, RIGHT, TOP, BOTTOM = 56, 14, 4, 42
NAMES = {
    "y": "values per bin (log)",
    "y2": "what comes back",
    "y3": "error: what comes back − value",
    "y4": "values per code (log); a hollow code is never used",
}
RISE = 0.2  # of the covered width: air above and below the staircase
NARROW = 0.1  # of the view: a clipped zone that is too narrow for words


def quantization_grid(
    data: GridData, palette: Palette, clipped: tuple[float, float] = (0.0, 0.0)
) -> Figure:
    """The whole picture; ``clipped`` are the shares of values clipped below and above.

    Brackets for the range asked for and the one covered stand on top where both fit the view.
    Columns of the histogram carry their centre as customdata.
    """
    bars, code_axis = codes(data, palette)
    boxes = _boxes(data)
    figure = _frame(data, palette, boxes)
    figure["yaxis4"] = code_axis | {"domain": boxes["y4"], "fixedrange": True}
    figure["shapes"] += _shading(data, palette, boxes)
    figure["annotations"] += [*_names(palette, boxes), *_clipped_words(data, palette, clipped)]
    figure["annotations"] += _level_words(data, palette, boxes)
    traces = [*histogram(data, palette), *staircase(data, palette), *error(data, palette), *bars]
    if "y5" in boxes:
        traces += _brackets(figure, data, palette, boxes["y5"])
    return {"data": traces, "layout": figure}


def _boxes(data: GridData) -> dict[str, list[float]]:
    """Domain of each panel, from the top, in paper coordinates."""
    heights = {"y": HISTOGRAM, "y2": STAIRS, "y3": ERROR, "y4": CODES}
    if _holds_grid(data):
        heights = {"y5": BRACKETS} | heights
    total = sum(heights.values()) + GAP * (len(heights) - 1) + GAP * ("y5" not in heights)
    top, boxes = 1.0 - (0 if "y5" in heights else GAP / total), {}
    for name, height in heights.items():
        boxes[name] = [max(top - height / total, 0.0), top]
        top -= (height + GAP) / total
    boxes["all"] = [0.0, float(total)]
    return boxes


def _holds_grid(data: GridData) -> bool:
    lo, hi = data.view
    ends = [*data.covered, *(data.asked or ())]
    return lo <= min(ends) and max(ends) <= hi


def _frame(data: GridData, palette: Palette, boxes: dict[str, list[float]]) -> Figure:
    view = [*data.view]
    height = int(boxes["all"][1]) + TOP + BOTTOM
    margins = Margins(LEFT, RIGHT, TOP, BOTTOM)
    stairs = axis(palette, "", grid=True)
    return layout(palette, height, margins, "{:g} {:g}".format(*view)) | {
        "xaxis": axis(palette, "tensor value", grid=True) | {"range": view, "anchor": "y4"},
        "yaxis": count_axis(data.bins, palette) | {"domain": boxes["y"], "title": {"text": ""}},
        "yaxis2": stairs
        | {"domain": boxes["y2"], "range": _heights(data), "fixedrange": True, "nticks": 5},
        "yaxis3": error_axis(data, palette) | {"domain": boxes["y3"]},
        "barmode": "overlay",
    }


def _heights(data: GridData) -> list[float]:
    """Range of what comes back: the grid with a little air, as far as it is in view."""
    (lo, hi), (first, last) = data.view, data.covered
    air = RISE * (last - first)
    low, high = max(lo, first - air), min(hi, last + air)
    return [low, high] if low < high else [lo, hi]


def _names(palette: Palette, boxes: dict[str, list[float]]) -> list[Figure]:
    """A panel's name above it, from the left end of the figure."""
    return [
        words(
            text, palette.muted, x=0.0, y=boxes[name][1],
            xanchor="left", yanchor="bottom", xshift=2,
        )
        for name, text in NAMES.items()
    ]  # fmt: skip


def _zones(data: GridData) -> list[tuple[float, float]]:
    """What is clipped, below and above, as far as it is in view."""
    lo, hi = data.view
    below = (lo, min(max(data.clip[0], lo), hi))
    above = (max(min(data.clip[1], hi), lo), hi)
    return [below, above]


def _shading(data: GridData, palette: Palette, boxes: dict[str, list[float]]) -> list[Figure]:
    shapes: list[Figure] = []
    for side, (start, end) in enumerate(_zones(data)):
        if start >= end:
            continue
        edge = (end, end) if side == 0 else (start, start)
        line = {"color": palette.mark(1), "width": 1.2, "dash": "dash"}
        for name in ("y", "y2", "y3", "y4"):
            lower, upper = boxes[name]
            rect = {"type": "rect", "yref": "paper", "y0": lower, "y1": upper, "layer": "below"}
            look = {"fillcolor": palette.band, "line": {"width": 0}}
            shapes.append(rect | look | {"x0": start, "x1": end})
            shapes.append(segment("", edge, (lower, upper), line=line))
    return shapes


def _clipped_words(data: GridData, palette: Palette, clipped: tuple[float, float]) -> list[Figure]:
    """The share of values in each clipped zone, in the corner that the staircase leaves free."""
    notes, (lo, hi) = [], data.view
    corners = ((0.97, "top"), (0.03, "bottom"))
    for (start, end), share, (y, side) in zip(_zones(data), clipped, corners, strict=True):
        if end - start > NARROW * (hi - lo):
            said = f"clipped<br>{percent(share)}" if share else "nothing<br>to clip"
            place = {"xref": "x", "yref": "y2 domain", "yanchor": side}
            notes.append(words(said, palette.band_words, x=(start + end) / 2, y=y, **place))
    return notes


def _level_words(data: GridData, palette: Palette, boxes: dict[str, list[float]]) -> list[Figure]:
    """How many levels, and how wide a step is; what rounding can do at most."""
    if not data.levels.size:
        return []
    said = f"{integer(data.levels.size)} level{'s' * (data.levels.size > 1)}"
    if data.half:
        many = f"{n - 1} steps of" if 2 < (n := data.levels.size) <= LINES else "step"
        said += f", {many} {number(2 * data.half)}"
    right = {"xanchor": "right", "bgcolor": palette.background, "borderpad": 1}
    at = {"x": 1.0, "xshift": -4}
    notes = [
        words(said, palette.mark(0), y=boxes["y2"][1], yanchor="bottom", **at, **right),
    ]
    if data.half:
        most = f"rounding: ±{number(data.half)}" + (", too fine to draw" if data.fine else "")
        notes.append(words(most, palette.ink, y=boxes["y3"][1], yanchor="bottom", **at, **right))
    return notes


def _brackets(figure: Figure, data: GridData, palette: Palette, box: list[float]) -> list[Figure]:
    """Traces: asked for above covered, each with its ends as numbers outside."""
    rows = [("covered", data.covered, palette.mark(0), 0.5, 2.4)]
    if data.asked is not None:
        rows.append(("asked for", data.asked, palette.muted, 1.5, 1.6))
    figure["yaxis5"] = axis(palette) | {
        "domain": box, "range": [0, len(rows)], "tickvals": [row[3] for row in rows],
        "ticktext": [row[0] for row in rows], "fixedrange": True,
    }  # fmt: skip
    for (_, ends, color, y, _), pair in zip(rows, _bracket_numbers(data), strict=True):
        for x, text, side in zip(ends, pair, ("right", "left"), strict=True):
            place = {"xref": "x", "yref": "y5", "xanchor": side, "yanchor": "middle"}
            shift = -5 if side == "right" else 5
            figure["annotations"].append(words(text, color, x=x, y=y, xshift=shift, **place))
    return [_bracket(ends, y, color, width) for _, ends, color, y, width in rows]


def _bracket_numbers(data: GridData) -> list[tuple[str, str]]:
    """Ends as texts, with digits until those asked for and those covered differ."""
    if data.asked is None:
        return [until_they_differ(*data.covered)]
    pairs = [until_they_differ(a, c) for a, c in zip(data.asked, data.covered, strict=True)]
    return [(pairs[0][1], pairs[1][1]), (pairs[0][0], pairs[1][0])]


def _bracket(ends: tuple[float, float], y: float, color: str, width: float) -> Figure:
    lo, hi = ends
    foot = 0.35
    return {
        "type": "scatter", "mode": "lines", "yaxis": "y5", "hoverinfo": "skip",
        "x": [lo, lo, None, lo, hi, None, hi, hi],
        "y": [y - foot, y + foot, None, y, y, None, y - foot, y + foot],
        "line": {"color": color, "width": width},
    }  # fmt: skip


def bins_in_view(count: float) -> int:
    """Bins for so many elements: few values, wide bins.

    >>> bins_in_view(10_000)
    200
    """
    return int(min(max(2 * math.sqrt(count), 48), 300))
