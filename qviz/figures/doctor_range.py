"""The data under the range that is kept: what is clipped, and what is spent on nothing."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.bins import Bins
from qviz.figures.doctor_bars import Mark
from qviz.figures.histogram import count_axis, steps
from qviz.figures.labels import GAP, Place, above, lines_above
from qviz.figures.numbers import number
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment

HEIGHT, TOP, BOTTOM, LEFT = 300, 10, 46, 52


def kept_range(
    bins: Bins, kept: tuple[float, float] | None, marks: Sequence[Mark], palette: Palette
) -> Figure:
    """Counts on a log scale; what lies outside the range that the codes cover is shaded.

    ``kept`` is None where there is no range. A dotted line at 0 where it is in view. Below 8 kB.
    """
    start, end = bins.view
    every = [m for m in marks if start <= m.value <= end] + _ends(kept, (start, end))
    places = [_place(m, (start, end), palette) for m in every]
    lines = lines_above(places)
    top = TOP + GAP * (1 + max(lines, default=-1))
    out = layout(palette, HEIGHT + top, Margins(LEFT, 14, top, BOTTOM), uirevision="doctor")
    out["xaxis"] = axis(palette, "value") | {"range": [start, end], "fixedrange": True, "nticks": 7}
    out["yaxis"] = count_axis(bins, palette)
    zero = {"color": palette.muted, "width": 1, "dash": "dot"}
    out["shapes"] = [*_outside(kept, (start, end), palette)]
    out["shapes"] += [segment("", (0.0, 0.0), (0.0, 1.0), line=zero)] * (start < 0 < end)
    out["shapes"] += [_line(m, palette) for m in every]
    placed = zip(places, lines, strict=True)
    out["annotations"] = [above(p, n, palette) for p, n in placed if p.text]
    return {"data": [steps(bins, palette)], "layout": out}


def _ends(kept: tuple[float, float] | None, view: tuple[float, float]) -> list[Mark]:
    """Both ends of the range; one name where they would say the same twice."""
    if kept is None:
        return []
    return [Mark(v, f"codes reach {number(v)}", bold=True) for v in kept if view[0] <= v <= view[1]]


def _outside(
    kept: tuple[float, float] | None, view: tuple[float, float], palette: Palette
) -> list[Figure]:
    if kept is None:
        return []
    spans = [(view[0], min(kept[0], view[1])), (max(kept[1], view[0]), view[1])]
    return [
        {
            "type": "rect", "x0": a, "x1": b, "y0": 0, "y1": 1, "yref": "paper",
            "line": {"width": 0}, "layer": "below", "fillcolor": palette.band,
        }
        for a, b in spans if b > a
    ]  # fmt: skip


def _place(mark: Mark, view: tuple[float, float], palette: Palette) -> Place:
    color = palette.highlights[0] if mark.bold else palette.band_words
    return Place(mark.text, color, (mark.value - view[0]) / (view[1] - view[0]), mark.bold)


def _line(mark: Mark, palette: Palette) -> Figure:
    color = palette.highlights[0] if mark.bold else palette.highlights[1]
    line = {"color": color, "width": 2, "dash": "dash" if mark.bold else "dot"}
    return segment("", (mark.value, mark.value), (0.0, 1.0), line=line)
