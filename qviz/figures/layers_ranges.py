"""Magnitudes of every tensor in network order: ends, middle, and those that reach too far."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qviz.figures.labels import log_ticks, width_of
from qviz.figures.layers_names import Names, lines, told_apart
from qviz.figures.layers_panels import CALM, hit_rows, tick
from qviz.figures.layers_reach import Reach
from qviz.figures.numbers import number
from qviz.figures.theme import SIZE, Figure, Margins, Palette, axis, escape, layout, words

ROW, TOP, BOTTOM, RIGHT = 34, 58, 14, 62  # pixels
LINE = 16  # from one line of words to the next
SPAN = 8.0  # powers of ten in view at most, from the largest magnitude down
LABEL = 21  # characters of a name on one line, of two
ROUGH = "≈"


def layer_ranges(
    reaches: Sequence[Reach], palette: Palette, threshold: float, chosen: str | None = None
) -> Figure:
    """One row per tensor: thin line all, bar the middle 98 %, dot the median, diamond the largest.

    Magnitudes on a logarithmic axis, exact zeros left out; at the right the largest over the
    median. Rows above ``threshold`` are orange. customdata is the name, of whole rows too.
    """
    view = _view(reaches)
    labels = names_of(reaches).labels
    names = [tick(labels[r.name], LABEL, bold=r.name == chosen) for r in reaches]
    left = width_of([line for text in labels.values() for line in lines(text, LABEL)], 66, 150)
    height = TOP + BOTTOM + ROW * len(reaches)
    out = layout(palette, height, Margins(left, RIGHT, TOP, BOTTOM), uirevision="layers-ranges")
    out["xaxis"] = axis(palette, grid=True) | {
        "type": "log", "range": list(view), "fixedrange": True, **log_ticks(view), "side": "top"
    }  # fmt: skip
    out["yaxis"] = axis(palette) | {
        "range": [len(reaches) - 0.5, -0.5], "fixedrange": True, "ticktext": names,
        "tickvals": list(range(len(reaches))), "tickfont": {"size": SIZE, "color": palette.ink},
    }  # fmt: skip
    far = [reach.ratio > threshold for reach in reaches]
    rough = {not reach.exact for reach in reaches}
    out["annotations"] = [*_key(palette, left, all(rough)), *_ratios(reaches, far, palette)]
    rows = list(enumerate(reaches))
    calm = [(at, reach) for at, reach in rows if not far[at]]
    loud = [(at, reach) for at, reach in rows if far[at]]
    parts = [(calm, palette.edge), (loud, palette.highlights[1])]
    data = [trace for some, color in parts for trace in _traces(some, color, palette, view)]
    span = (10.0 ** view[0], 10.0 ** view[1])
    hits = hit_rows([r.name for r in reaches], [_hover(r) for r in reaches], span)
    return {"data": [hits, *data], "layout": out}


def names_of(reaches: Sequence[Reach]) -> Names:
    """The names as the picture shows them."""
    return told_apart([reach.name for reach in reaches], 2 * LABEL - 4)


def _view(reaches: Sequence[Reach]) -> tuple[float, float]:
    tops = [math.log10(reach.ends[4]) for reach in reaches] or [0.0]
    lows = [math.log10(reach.ends[1]) for reach in reaches] or [-1.0]
    high = max(tops)
    low = max(min(lows), high - SPAN)
    return low - 0.3, high + 0.15


def _traces(
    rows: Sequence[tuple[int, Reach]], color: str, palette: Palette, view: tuple[float, float]
) -> list[Figure]:
    if not rows:
        return []
    low = 10.0 ** view[0]
    thin = _lines([(at, r.ends[0], r.ends[4]) for at, r in rows], color, 1.5, low)
    thick = _lines([(at, r.ends[1], r.ends[3]) for at, r in rows], color, 8, low)
    dot = {"symbol": "circle", "size": 9, "color": palette.background}
    dot["line"] = {"color": color, "width": 2}
    return [
        thin, thick,
        _marks(rows, 4, {"symbol": "diamond", "size": 10, "color": color}, "largest"),
        _marks(rows, 2, dot, "median"),
    ]  # fmt: skip


def _lines(
    parts: Sequence[tuple[int, float, float]], color: str, width: float, low: float
) -> Figure:
    x: list[float | None] = []
    y: list[int | None] = []
    for at, a, b in parts:
        x += [max(a, low), max(b, low), None]
        y += [at, at, None]
    return {
        "type": "scatter", "mode": "lines", "x": x, "y": y, "hoverinfo": "skip",
        "line": {"color": color, "width": width}, "name": "span",
    }  # fmt: skip


def _marks(rows: Sequence[tuple[int, Reach]], end: int, marker: Figure, name: str) -> Figure:
    return {
        "type": "scatter", "mode": "markers", "name": name, "marker": marker,
        "x": [reach.ends[end] for _, reach in rows], "y": [at for at, _ in rows],
        "customdata": [reach.name for _, reach in rows],
        "text": [_hover(reach) for _, reach in rows], "hoverinfo": "text",
        "selected": CALM, "unselected": CALM,
    }  # fmt: skip


def _hover(reach: Reach) -> str:
    first, low, middle, high, last = (number(end) for end in reach.ends)
    return (
        f"<b>{escape(reach.name)}</b><br>magnitudes {first} to {last}"
        f"<br>98 % between {low} and {high}<br>median {middle}{_how(reach)}"
    )


def _how(reach: Reach) -> str:
    return "" if reach.exact else " (approximate)"


def _key(palette: Palette, left: int, rough: bool) -> list[Figure]:
    text = "<b>━</b> 98 % of the magnitudes   ○ median   ◆ largest"
    place = {"y": 1.0, "yanchor": "bottom"}
    right = {"x": 1.0, "xanchor": "right", "xshift": RIGHT - 8, "yshift": 4 + LINE}
    return [
        words(
            text,
            palette.muted,
            x=0.0,
            xanchor="left",
            xshift=4 - left,
            yshift=4 + 2 * LINE,
            **place,
        ),
        words("magnitude", palette.muted, x=0.0, xanchor="left", yshift=4 + LINE, **place),
        words("largest / median" + f" {ROUGH}" * rough, palette.muted, **right, **place),
    ]


def _ratios(reaches: Sequence[Reach], far: Sequence[bool], palette: Palette) -> list[Figure]:
    out, mixed = [], len({reach.exact for reach in reaches}) > 1
    for at, reach in enumerate(reaches):
        text = f"{ROUGH} " * (mixed and not reach.exact) + f"{number(reach.ratio)} ×"
        color = palette.band_words if far[at] else palette.muted
        note = words(
            f"<b>{text}</b>" if far[at] else text, color, x=1.0, y=at, yref="y",
            xanchor="right", xshift=RIGHT - 8,
        )  # fmt: skip
        out.append(note)
    return out
