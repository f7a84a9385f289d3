"""The field: decibels lost against the best over both ends of the range, rows as dots."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qviz.figures.landscape_contours import balance, bands, lines
from qviz.figures.landscape_marks import (
    YOU,
    Dot,
    Frame,
    Name,
    grey_first,
    hover,
    log_ticks_of,
    marker,
    names,
)
from qviz.figures.landscape_names import name_off
from qviz.figures.landscape_sides import line_words, side_words
from qviz.figures.numbers import MINUS
from qviz.figures.rows import rank_of
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, words
from qviz.pipeline.landscape_views import Field

MARGINS = Margins(62, 84, 12, 48)
HEIGHT, WIDTH, PHONE = 540, 1008, 358  # pixels: of the plot, of the page, of a phone's


def field_picture(
    field: Field,
    dots: Sequence[Dot],
    highlights: Sequence[str],
    palette: Palette,
    *,
    best: Dot | None = None,
    named: bool = True,
) -> Figure:
    """Bands of 1 dB lost against the best, lines at 0.5, 3 and 6, every row a dot.

    On the dashed line clipping and rounding cost the same. ``named`` says whether all dots have
    their name, or only the ``highlights``. A ring marks ``best``.
    """
    frame, tall = _frame(field, named), HEIGHT + MARGINS.top + MARGINS.bottom
    figure = layout(palette, tall, MARGINS, f"{frame.x[::-1]} {frame.y}")
    figure["xaxis"] = _axis(palette, "lower bound kept (log)", frame.x, MINUS)
    figure["yaxis"] = _axis(palette, "upper bound kept (log)", frame.y, "")
    shown = grey_first(dots, highlights)
    figure["annotations"] += _notes(field, shown, highlights, frame, palette, named)
    data = [bands(field, palette), *lines(field, palette), balance(field, palette)]
    top = best.bar.value if best is not None else None
    if best is not None:
        data.append(_ring(field, best, palette))
    return {"data": [*data, _dots(field, shown, highlights, palette, top)], "layout": figure}


def _frame(field: Field, named: bool) -> Frame:
    """The panel as the page draws it; without all names it is a phone's."""
    x, y = ((math.log10(end[0]), math.log10(end[-1])) for end in (field.lower, field.upper))
    wide = (WIDTH if named else PHONE) - MARGINS.left - MARGINS.right
    return Frame(wide, HEIGHT, (x[1], x[0]), y)


def with_you(
    picture: Figure, field: Field, you: Dot, palette: Palette, top: float | None, named: bool = True
) -> Figure:
    """The picture with one more dot, whose range is moved by hand, its name off the others."""
    rim = {"color": palette.ink, "width": 2.5}
    look = {"symbol": "diamond", "size": 14, "color": palette.background, "opacity": 1, "line": rim}
    x, y = place(field, you)
    mark = _scatter([x], [y], look, [hover(you, top)])
    across, up = name_off(picture, (math.log10(x), math.log10(y)), YOU, _frame(field, named))
    note = words(
        f"<b>{YOU}</b>", palette.ink, x=math.log10(x), y=math.log10(y), xref="x", yref="y",
        xshift=across, yshift=up, bgcolor=palette.background, borderpad=1,
    )  # fmt: skip
    frame = {**picture["layout"], "annotations": [*picture["layout"]["annotations"], note]}
    return {"data": [*picture["data"], mark], "layout": frame}


def place(field: Field, dot: Dot) -> tuple[float, float]:
    """Where a row stands: distances of both ends from 0, inside the view."""
    x = np.clip(-dot.bar.lo, field.lower[0], field.lower[-1])
    return float(x), float(np.clip(dot.bar.hi, field.upper[0], field.upper[-1]))


def _axis(palette: Palette, title: str, view: tuple[float, float], sign: str) -> Figure:
    span = {"type": "log", "range": [*view], "fixedrange": True}
    return axis(palette, title) | span | log_ticks_of(view, sign)


def _scatter(x: list[float], y: list[float], look: Figure, told: list[str]) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "marker": look,
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": told,
    }


def _dots(
    field: Field,
    shown: Sequence[Dot],
    highlights: Sequence[str],
    palette: Palette,
    top: float | None,
) -> Figure:
    at = [place(field, dot) for dot in shown]
    told = [hover(dot, top) for dot in shown]
    look = marker(shown, highlights, palette)
    trace = _scatter([x for x, _ in at], [y for _, y in at], look, told)
    return trace | {"customdata": [dot.bar.spelling for dot in shown]}


def _ring(field: Field, best: Dot, palette: Palette) -> Figure:
    x, y = place(field, best)
    look = {"symbol": "circle-open", "size": 20, "color": palette.mark(0), "opacity": 1}
    return _scatter([x], [y], look | {"line": {"width": 2}}, ["the best range"])


def _notes(
    field: Field,
    shown: Sequence[Dot],
    highlights: Sequence[str],
    frame: Frame,
    palette: Palette,
    every: bool,
) -> list[Figure]:
    """Words on the field, then the dots' names around them."""
    at = [(math.log10(x), math.log10(y)) for x, y in (place(field, dot) for dot in shown)]
    dots = [frame.pixel(*spot) for spot in at]
    said = [*side_words(field, dots, frame, palette), *line_words(field, frame, palette)]
    ranks = [rank_of(dot.bar, highlights) for dot in shown]
    named = [
        Name(
            f"{dot.bar.title} · {dot.bar.text}",
            palette.ink if rank is None else palette.mark(rank),
            *spot,
            rank is not None,
        )
        for dot, rank, spot in zip(shown, ranks, at, strict=True)
        if every or rank is not None
    ]
    taken = [box for box, _ in said]
    return [*(note for _, note in said), *names(named, frame, at, palette, taken)]
