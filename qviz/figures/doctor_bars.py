"""Magnitudes as bars on a logarithmic axis: who sets the step, and who falls below it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.figures.labels import GAP, Place, above, lines_above, log_ticks, width_of
from qviz.figures.numbers import number
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, segment, words

ROW, BOTTOM, EDGE = 26, 46, 8  # pixels
MOST = 10  # rows
AIR = 0.06  # of the view, beyond the largest
LEADS = 2.6  # powers of ten in view, up to which 2 and 5 are named too
LEAST = 0.5  # powers of ten that are in view
DEEPEST = 6.0  # powers of ten below the largest, of which no more is shown


@dataclass(frozen=True)
class Magnitude:
    """One row: a positive value, or 0 for no bar; ``text`` stands at its right."""

    name: str
    value: float
    text: str = ""
    fault: bool = False


@dataclass(frozen=True)
class Mark:
    """A line across all rows at a value, with words above it."""

    value: float
    text: str
    bold: bool = False


def bars_on_log(
    rows: Sequence[Magnitude], marks: Sequence[Mark], palette: Palette, title: str
) -> Figure:
    """A bar for each row from the left edge on; faults are orange. Marks that are bold are dashed.

    At most 10 rows. Below 3 kB.
    """
    rows = list(rows)[:MOST]
    marks = [m for m in marks if m.value > 0 and math.isfinite(m.value)]
    low, high = view(rows, marks)
    places = [_place(mark, (low, high), palette) for mark in marks]
    lines = lines_above(places)
    top = EDGE + GAP * (1 + max(lines, default=-1))
    left = width_of([row.name for row in rows])
    right = 16 + max((7 * len(row.text) for row in rows), default=0)
    height = ROW * len(rows) + top + BOTTOM
    out = layout(palette, height, Margins(left, right, top, BOTTOM), uirevision="doctor")
    out["xaxis"] = axis(palette, title, grid=True) | {
        "type": "log", "range": [low, high], "fixedrange": True, **ticks((low, high)),
    }  # fmt: skip
    out["yaxis"] = axis(palette) | {
        "range": [len(rows) - 0.5, -0.5], "fixedrange": True,
        "tickvals": list(range(len(rows))), "ticktext": [escape(r.name, 22) for r in rows],
    }  # fmt: skip
    out["shapes"] = [_line(mark, palette) for mark in marks]
    out["annotations"] = [above(p, n, palette) for p, n in zip(places, lines, strict=True)]
    out["annotations"] += [_text(i, row, palette) for i, row in enumerate(rows)]
    return {"data": [_bars(rows, low, palette)], "layout": out}


def view(rows: Sequence[Magnitude], marks: Sequence[Mark]) -> tuple[float, float]:
    """Ends of the axis in powers of ten: all rows and marks, at most six powers of ten."""
    there = [row.value for row in rows] + [mark.value for mark in marks]
    powers = [math.log10(v) for v in there if v > 0 and math.isfinite(v)] or [0.0]
    high = max(powers)
    low = max(min(*powers, high - LEAST), high - DEEPEST)
    air = AIR * (high - low)
    return low - 2 * air, high + air


def ticks(ends: tuple[float, float]) -> Figure:
    """1, 2 and 5 of every power of ten as long as these fit; else as on other logarithmic axes."""
    low, high = ends
    if high - low > LEADS:
        return log_ticks(ends)
    powers = range(math.floor(low), math.ceil(high) + 1)
    values = [lead * 10.0**p for p in powers for lead in (1, 2, 5)]
    inside = [v for v in values if low <= math.log10(v) <= high]
    return {"tickvals": inside, "ticktext": [number(v) for v in inside]}


def _bars(rows: Sequence[Magnitude], low: float, palette: Palette) -> Figure:
    """Bars start at the left edge: a logarithmic axis has no 0."""
    base = 10.0**low
    long = np.array([max(row.value - base, 0.0) if math.isfinite(row.value) else 0 for row in rows])
    colors = [palette.highlights[1] if row.fault else palette.edge for row in rows]
    return {
        "type": "bar", "orientation": "h", "base": base, "x": long,
        "y": np.arange(len(rows), dtype=np.int16), "width": 0.52,
        "marker": {"color": colors}, "hoverinfo": "text",
        "hovertext": [f"{escape(r.name, 40)}: {r.value:.4g}" for r in rows],
    }  # fmt: skip


def _place(mark: Mark, ends: tuple[float, float], palette: Palette) -> Place:
    at = (math.log10(mark.value) - ends[0]) / (ends[1] - ends[0])
    color = palette.highlights[0] if mark.bold else palette.muted
    return Place(mark.text, color, min(max(at, 0.0), 1.0), mark.bold)


def _line(mark: Mark, palette: Palette) -> Figure:
    color = palette.highlights[0] if mark.bold else palette.muted
    line = {
        "color": color,
        "width": 2 if mark.bold else 1.5,
        "dash": "dash" if mark.bold else "dot",
    }
    return segment("", (mark.value, mark.value), (0.0, 1.0), line=line)


def _text(at: int, row: Magnitude, palette: Palette) -> Figure:
    color = palette.highlights[1] if row.fault else palette.muted
    return words(row.text, color, x=1.0, y=at, yref="y", xanchor="left", xshift=8)
