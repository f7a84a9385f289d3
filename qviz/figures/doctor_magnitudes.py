"""Magnitudes on a logarithmic axis: for data that one bin of a linear axis would hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qviz.figures.bins import Bins
from qviz.figures.doctor_bars import Mark
from qviz.figures.histogram import count_axis, steps
from qviz.figures.labels import GAP, Place, above, lines_above, log_ticks
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment

HEIGHT, TOP, BOTTOM, LEFT = 300, 10, 46, 52
ALONE = 0.99  # share of the elements in one linear bin, from which this picture says more


def crowded(bins: Bins) -> bool:
    """Whether one bin holds nearly all elements."""
    return bool(bins.counts.max(initial=0.0) > ALONE * bins.counts.sum())


def magnitudes(
    powers: Sequence[float], counts: Sequence[float], marks: Sequence[Mark], palette: Palette
) -> Figure:
    """Elements per magnitude, both logarithmic: ``powers`` are the bins' edges as powers of ten.

    Bold marks are dashed. What lies below the first bold mark is shaded. Below 4 kB.
    """
    bins = Bins(np.array(powers, np.float64), np.array(counts, np.float64))
    start, end = bins.view
    shown = [m for m in marks if m.value > 0 and start <= math.log10(m.value) <= end]
    places = [_place(m, (start, end), palette) for m in shown]
    lines = lines_above(places)
    top = TOP + GAP * (1 + max(lines, default=-1))
    out = layout(palette, HEIGHT + top, Margins(LEFT, 14, top, BOTTOM), uirevision="doctor")
    ticks = log_ticks((start, end))
    out["xaxis"] = axis(palette, "magnitude (log)") | {
        "range": [start, end], "fixedrange": True, "ticktext": ticks["ticktext"],
        "tickvals": [math.log10(v) for v in ticks["tickvals"]],
    }  # fmt: skip
    out["yaxis"] = count_axis(bins, palette)
    out["shapes"] = [_shade(math.log10(m.value), start, palette) for m in shown if m.bold][:1]
    out["shapes"] += [_line(m, palette) for m in shown]
    out["annotations"] = [above(p, n, palette) for p, n in zip(places, lines, strict=True)]
    bars = steps(bins, palette) | {"hovertemplate": "10^%{x:.2~f}: %{y:,.0f} values<extra></extra>"}
    return {"data": [bars], "layout": out}


def _shade(below: float, start: float, palette: Palette) -> Figure:
    return {
        "type": "rect", "x0": start, "x1": below, "y0": 0, "y1": 1, "yref": "paper",
        "line": {"width": 0}, "layer": "below", "fillcolor": palette.band,
    }  # fmt: skip


def _place(mark: Mark, view: tuple[float, float], palette: Palette) -> Place:
    color = palette.highlights[0] if mark.bold else palette.band_words
    at = (math.log10(mark.value) - view[0]) / (view[1] - view[0])
    return Place(mark.text, color, at, mark.bold)


def _line(mark: Mark, palette: Palette) -> Figure:
    at, color = math.log10(mark.value), palette.highlights[0 if mark.bold else 1]
    line = {"color": color, "width": 2, "dash": "dash" if mark.bold else "dot"}
    return segment("", (at, at), (0.0, 1.0), line=line)
