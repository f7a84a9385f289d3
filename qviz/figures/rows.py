"""One row per observer: a dumbbell from bound to bound, the metric at its right end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qviz.figures.bars import Bar
from qviz.figures.bins import Bins
from qviz.figures.numbers import interval
from qviz.figures.theme import DASHES, SIZE, Figure, Palette, axis, escape, shorten

LABEL = 18  # characters of a row's name
REASON = 30  # characters of a refusal; the whole of it is in the hover text
FAR = 20.0  # widths of the view beyond which a bar is cut: pixels have their limits too
SEEN = 0.008  # share of the view that the eye tells apart
BLANK = "\u2002"  # half an em between the frame and the numbers
CALM = {"marker": {"opacity": 1}}  # choosing one row does not dim the others


def rank_of(row: Bar, highlights: Sequence[str]) -> int | None:
    """Place among the highlights, None for all the others."""
    known = list(highlights[: len(DASHES)])
    return known.index(row.spelling) if row.spelling in known else None


def row_axis(rows: Sequence[Bar], highlights: Sequence[str], palette: Palette) -> Figure:
    """Names as ticks, first row on top; highlighted names bold and in their colour."""
    names = [_name(row, rank_of(row, highlights), palette) for row in rows]
    return axis(palette) | {
        "type": "linear",
        "range": [len(rows) - 0.5, -0.5],
        "tickvals": list(range(len(rows))),
        "ticktext": names,
        "tickfont": {"size": SIZE, "color": palette.ink},
        "fixedrange": True,
    }


def _name(row: Bar, rank: int | None, palette: Palette) -> str:
    text = escape(row.title, LABEL)
    if row.refused is not None:
        return f'<span style="color:{palette.muted}">{text}</span>'
    if rank is None:
        return text
    return f'<b style="color:{palette.mark(rank)}">{text}</b>'


def name_margin(rows: Sequence[Bar]) -> int:
    """Pixels that the longest name takes: about 5.9 a character when bold."""
    longest = max((len(shorten(row.title, LABEL)) for row in rows), default=0)
    return min(max(10 + round(5.9 * longest), 66), 118)


def row_traces(
    rows: Sequence[Bar], highlights: Sequence[str], bins: Bins, palette: Palette
) -> list[Figure]:
    """Lines, ends, metric values and refusals."""
    ranks = [rank_of(row, highlights) for row in rows]
    served = [i for i, row in enumerate(rows) if row.refused is None]
    parts = [_values(rows, ranks, palette)]
    if served:
        parts[:0] = [_lines(rows, ranks, served, bins, palette)]
        parts.insert(1, _ends(rows, ranks, served, bins, palette))
    if len(served) < len(rows):
        parts.append(_refusals(rows, served, palette))
    return parts


def _lines(
    rows: Sequence[Bar], ranks: list[int | None], served: list[int], bins: Bins, palette: Palette
) -> Figure:
    start, end = bins.view
    reach = FAR * (end - start)
    lo, hi = (
        np.clip([getattr(rows[i], side) for i in served], start - reach, end + reach)
        for side in ("lo", "hi")
    )
    return {
        "type": "bar",
        "orientation": "h",
        "base": lo.tolist(),
        "x": (hi - lo).tolist(),
        "y": served,
        "width": [0.14 if ranks[i] is None else 0.24 for i in served],
        "marker": {"color": [palette.mark(ranks[i]) for i in served], "line": {"width": 0}},
        "yaxis": "y2",
        "hoverinfo": "text",
        "hovertext": [_hover(rows[i]) for i in served],
        "customdata": [rows[i].spelling for i in served],
        "selected": CALM,
        "unselected": CALM,
    }


def _ends(
    rows: Sequence[Bar], ranks: list[int | None], served: list[int], bins: Bins, palette: Palette
) -> Figure:
    twice = [i for i in served for _ in ("lo", "hi")]
    marks = [_end(bound, bins) for i in served for bound in (rows[i].lo, rows[i].hi)]
    bold = [ranks[i] is not None for i in twice]
    colors = [palette.mark(ranks[i]) for i in twice]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [mark.x for mark in marks],
        "y": twice,
        "yaxis": "y2",
        "marker": {
            "symbol": [mark.symbol for mark in marks],
            "angle": [mark.angle for mark in marks],
            "size": [mark.size + 2 * strong for mark, strong in zip(marks, bold, strict=True)],
            "color": colors,
            "opacity": 1,
            "line": {"color": colors, "width": [3 if strong else 2 for strong in bold]},
        },
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [_hover(rows[i]) for i in twice],
        "customdata": [rows[i].spelling for i in twice],
        "selected": CALM,
        "unselected": CALM,
    }


class _Mark(NamedTuple):
    """Where a bound is drawn, and by what: a stroke, or an arrow head whose tip is the place."""

    x: float
    symbol: str
    angle: int
    size: int


def _end(bound: float, bins: Bins) -> _Mark:
    start, end = bins.view
    if bound < start:
        return _Mark(start, "arrow", -90, 9)
    return _Mark(end, "arrow", 90, 9) if bound > end else _Mark(bound, "line-ns", 0, 5)


def _values(rows: Sequence[Bar], ranks: list[int | None], palette: Palette) -> Figure:
    mixed = len({row.approximate for row in rows if row.refused is None}) > 1
    colors = [palette.muted if r is None else palette.mark(r) for r in ranks]
    about = ["≈ " if mixed and row.approximate else "" for row in rows]
    text = [BLANK + a + ("" if r.refused else r.text) for a, r in zip(about, rows, strict=True)]
    return _text([1.0] * len(rows), list(range(len(rows))), text, colors)


def _refusals(rows: Sequence[Bar], served: list[int], palette: Palette) -> Figure:
    left = [i for i in range(len(rows)) if i not in served]
    text = [_reason(str(rows[i].refused)) for i in left]
    trace = _text([0.0] * len(left), left, text, [palette.muted] * len(left))
    return trace | {"hoverinfo": "text", "hovertext": [escape(str(rows[i].refused)) for i in left]}


def _reason(text: str) -> str:
    short = text if len(text) <= REASON else text[:REASON].rsplit(" ", 1)[0] + " …"
    return f"<i>{escape(short)}</i>"


def _text(x: list[float], y: list[int], text: list[str], colors: list[str]) -> Figure:
    """Words beside the rows; on an x axis of their own from 0 to 1, so that zoom leaves them."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": x,
        "y": y,
        "xaxis": "x2",
        "yaxis": "y2",
        "text": text,
        "textposition": "middle right",
        "textfont": {"color": colors, "size": SIZE},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _hover(row: Bar) -> str:
    lines = [f"<b>{escape(row.title)}</b>", interval(row.lo, row.hi)]
    grid = interval(row.covered_lo, row.covered_hi)
    if grid != lines[1]:
        lines.append(f"grid covers {grid}")
    return "<br>".join([*lines, f"{row.text}{' (approximate)' if row.approximate else ''}"])
