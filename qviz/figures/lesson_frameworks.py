"""Picture of the lesson on frameworks: one bracket for each rule's grid."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.lesson import HIDDEN, canvas
from qviz.figures.numbers import interval
from qviz.figures.theme import Figure, Palette, segment, words

ROW = 42  # pixels


def grids(
    rows: Sequence[tuple[str, tuple[float, float] | None, str]],
    asked: tuple[float, float],
    palette: Palette,
    shown: bool,
) -> Figure:
    """What each rule's grid covers, with a word beside it; ``rows`` are name, range, word."""
    made = canvas(palette, "value", "", left=120, height=ROW * (len(rows) + 1) + 70, right=130)
    spans = [asked, *(span for _, span, _ in rows if span is not None)]
    lo, hi = min(min(s) for s in spans), max(max(s) for s in spans)
    air = 0.1 * (hi - lo) or 1.0
    made["xaxis"] |= {"range": [lo - air, hi + air]}
    at = list(range(len(rows), -1, -1))
    names = ["<b>asked for</b>", *(name for name, _, _ in rows)]
    made["yaxis"] |= {"range": [-0.7, len(rows) + 0.6], "tickvals": at, "ticktext": names}
    made["yaxis"] |= {"showgrid": False}
    made["shapes"] = [
        segment(palette.muted, (end, end), (0, 1), line={"dash": "dot", "width": 1})
        for end in asked
    ]
    made["shapes"] += _bracket(asked, len(rows), palette.muted)
    made["annotations"] = []
    if not shown:
        made["annotations"].append(words(HIDDEN, palette.muted, x=0.5, y=0.4))
        rows = ()
    for place, (_, span, word) in zip(at[1:], rows, strict=False):
        side = {"yref": "y", "xanchor": "left", "xshift": 8}
        made["annotations"].append(words(f"<b>{word}</b>", palette.ink, x=1, y=place, **side))
        if span is not None:
            blue = palette.highlights[0]
            made["shapes"] += _bracket(span, place, blue)
            made["annotations"].append(
                words(interval(*span, digits=4), blue, x=(span[0] + span[1]) / 2, y=place,
                      xref="x", yref="y", yshift=13)
            )  # fmt: skip
    return {"data": [_anchor(lo)], "layout": made}


def _bracket(ends: tuple[float, float], y: int, color: str) -> list[Figure]:
    thick = {"yref": "y", "line": {"color": color, "width": 3}}
    sides = [segment(color, (e, e), (y - 0.16, y + 0.16), **thick) for e in ends]
    return [segment(color, ends, (y, y), **thick), *sides]


def _anchor(x: float) -> Figure:
    """A mark nobody sees: axes without a trace are not drawn."""
    return {"type": "scatter", "x": [x], "y": [0], "mode": "markers", "hoverinfo": "skip",
            "marker": {"size": 1, "color": "rgba(0,0,0,0)"}}  # fmt: skip
