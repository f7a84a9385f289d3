"""Ranges as brackets on one axis: what was asked for, and what each rule answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.figures.bins import Bins
from qviz.figures.numbers import number
from qviz.figures.theme import (
    SIZE,
    Figure,
    Margins,
    Palette,
    axis,
    escape,
    layout,
    segment,
    words,
)

HISTOGRAM, NONE, ROW = 74, 14, 47  # pixels; NONE is left above the brackets alone
LEFT, RIGHT, TOP, BOTTOM = 142, 12, 10, 46
AIR = 0.2  # of the widest bracket, on both sides: room for numbers outside the ends
REFUSED = "does not apply: see below"  # fits the narrowest plot; the reason stands below it
LETTER = 7.2  # pixels of a digit, on the narrowest plot
GAP = 10  # pixels: half a tick, a blank, and air to the name
NARROWEST = 205  # pixels of the plot on a phone


@dataclass(frozen=True)
class Bracket:
    """One range with its name; ``detail`` is a second line below it, ``hover`` says more.

    ``dashed`` is a published formula's; ``refused`` is the reason why there is no range.
    """

    title: str
    lo: float
    hi: float
    color: str
    detail: str = ""
    hover: str = ""
    bold: bool = True
    dashed: bool = False
    refused: str | None = None


def brackets(
    bins: Bins | None, rows: Sequence[Bracket], asked: tuple[float, float], palette: Palette
) -> Figure:
    """Histogram over one bracket per row; dotted lines at the range asked for, one at 0.

    Numbers stand outside the bracket's ends. ``bins`` is None without a finite element.
    """
    start, end = view(rows, asked)
    plot = (HISTOGRAM if bins is not None else NONE) + ROW * len(rows)
    split = ROW * len(rows) / plot
    base = layout(palette, plot + TOP + BOTTOM, Margins(LEFT, RIGHT, TOP, BOTTOM))
    marks = [segment(palette.edge, (x, x), (0.0, 1.0), line=_dotted(palette)) for x in set(asked)]
    zero = [segment(palette.grid, (0.0, 0.0), (0.0, 1.0), layer="below")] * (start < 0 < end)
    frame = base | {
        "shapes": [*zero, *marks],
        "xaxis": axis(palette, "value") | {"range": [start, end], "anchor": "y2", "nticks": 7},
        "yaxis": _silent(palette) | {"domain": [split, 1.0], **_counts(bins)},
        "yaxis2": _names(rows, palette) | {"domain": [0.0, split]},
    }
    data = [_histogram(bins, palette)] if bins is not None else []
    served = [(i, row) for i, row in enumerate(rows) if row.refused is None]
    data += [_line(i, row) for i, row in served]
    data += [_numbers(served, side) for side in ("lo", "hi")]
    refused = ((i, row.refused) for i, row in enumerate(rows) if row.refused is not None)
    frame["annotations"] = [_refusal(i, reason, palette) for i, reason in refused]
    return {"data": data, "layout": frame}


def view(rows: Sequence[Bracket], asked: tuple[float, float]) -> tuple[float, float]:
    """Ends of the axis: all brackets with 20 % of air on both sides, more for long numbers."""
    there = [(row.lo, row.hi) for row in rows if row.refused is None] + [asked]
    lo, hi = min(a for a, _ in there), max(b for _, b in there)
    width = hi - lo or abs(hi) or 1.0
    left, right = (GAP + LETTER * max(len(number(pair[side])) for pair in there) for side in (0, 1))
    before, after = (max(AIR, pixels / (NARROWEST - left - right)) for pixels in (left, right))
    return lo - before * width, hi + after * width


def _dotted(palette: Palette) -> Figure:
    return {"color": palette.edge, "width": 1, "dash": "dot"}


def _silent(palette: Palette) -> Figure:
    return axis(palette) | {"showticklabels": False, "fixedrange": True}


def _counts(bins: Bins | None) -> Figure:
    top = 1.0 if bins is None else float(bins.counts.max(initial=1.0))
    return {"range": [0.0, 1.04 * top]}


def _histogram(bins: Bins, palette: Palette) -> Figure:
    start, end = bins.view
    return {
        "type": "scatter",
        "mode": "lines",
        "x0": start,
        "dx": (end - start) / bins.counts.size,
        "y": np.append(bins.counts, bins.counts[-1]).astype(np.float32),
        "line": {"shape": "hv", "width": 1, "color": palette.edge},
        "fill": "tozeroy",
        "fillcolor": palette.fill,
        "hovertemplate": "%{x:.4~g}: %{y:,.0f} values<extra></extra>",
    }


def _names(rows: Sequence[Bracket], palette: Palette) -> Figure:
    return axis(palette) | {
        "range": [len(rows) - 0.5, -0.5],
        "tickvals": list(range(len(rows))),
        "ticktext": [_name(row, palette) for row in rows],
        "tickfont": {"size": SIZE, "color": palette.ink},
        "fixedrange": True,
    }


def _name(row: Bracket, palette: Palette) -> str:
    text = escape(row.title, 24)
    if row.refused is not None:
        return f'<span style="color:{palette.muted}">{text}</span>'
    head = f"<b>{text}</b>" if row.bold else text
    if not row.detail:
        return head
    return f'{head}<br><span style="color:{palette.muted}">{escape(row.detail)}</span>'


def _line(at: int, row: Bracket) -> Figure:
    width = 2 if row.dashed else 3
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [row.lo, row.hi],
        "y": [at, at],
        "yaxis": "y2",
        "line": {"color": row.color, "width": width, "dash": "dot" if row.dashed else "solid"},
        "marker": {
            "symbol": "line-ns",
            "size": 14,
            "opacity": 1,
            "line": {"color": row.color, "width": width},
        },
        "hoverinfo": "text",
        "hovertext": row.hover,
    }


def _numbers(served: Sequence[tuple[int, Bracket]], side: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [getattr(row, side) for _, row in served],
        "y": [at for at, _ in served],
        "yaxis": "y2",
        "text": [_outside(number(getattr(row, side)), side) for _, row in served],
        "textposition": "middle left" if side == "lo" else "middle right",
        "textfont": {"color": [row.color for _, row in served], "size": SIZE},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _outside(text: str, side: str) -> str:
    """A number with a gap to the bracket that it stands beside."""
    return f"{text}\u2002" if side == "lo" else f"\u2002{text}"


def _refusal(at: int, reason: str, palette: Palette) -> Figure:
    """In place of a bracket; the background hides the dotted lines. The reason is hover text."""
    text = f"<i>{REFUSED}</i>"
    place = {"xanchor": "left", "yref": "y2", "bgcolor": palette.background}
    hover = {"hovertext": escape(reason, 200), "captureevents": True}
    return words(text, palette.muted, x=0.0, y=at, xshift=6, **place, **hover)
