"""What one more bit buys: SQNR over the number of bits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from qviz.figures.labels import End, ink_of, named_ends, width_of
from qviz.figures.numbers import decibels
from qviz.figures.theme import (
    DASHES,
    Figure,
    Margins,
    Palette,
    axis,
    escape,
    layout,
    segment,
    words,
)

STEP = 20 * math.log10(2)  # dB: half the step is a quarter of the squared error
HEIGHT, TOP, BOTTOM, LEFT = 330, 26, 46, 48  # pixels
ROOF = 2.0  # dB between the reference line and the highest curve
NAME = 18  # characters
Points = Sequence[tuple[int, float | None]]


def sqnr_against_bits(curves: Mapping[str, Points], palette: Palette, now: int) -> Figure:
    """A line per row of (bits, dB), named at its end, over a reference of 6 dB per bit.

    The first four have the highlights' colours and dashes; points without a value are left out.
    ``now`` is the number of bits chosen at present.
    """
    lines = {escape(name, NAME): _there(points) for name, points in curves.items()}
    lines = {name: points for name, points in lines.items() if points}
    margins = Margins(LEFT, width_of(list(lines)), TOP, BOTTOM)
    base = layout(palette, HEIGHT, margins)
    if not lines:
        hidden = {"xaxis": {"visible": False}, "yaxis": {"visible": False}}
        note = words("No row has an SQNR here.", palette.muted, x=0.5, y=0.5)
        return {"data": [], "layout": base | hidden | {"annotations": [note]}}
    first, last, low, high = _view(lines)
    base["xaxis"] = axis(palette, "bits", grid=True) | {"range": [first - 0.4, last + 0.2]}
    base["xaxis"] |= {"tickvals": list(range(first + first % 2, last + 1, 2))}
    base["yaxis"] = axis(palette, "SQNR in dB", grid=True) | {"range": [low, high]}
    ends = [
        End(name, ink_of(palette, rank), *points[-1])
        for rank, (name, points) in enumerate(lines.items())
    ]
    base["annotations"] = named_ends(ends, (low, high), HEIGHT - TOP - BOTTOM)
    traces = [_line(*item, rank, now, palette) for rank, item in enumerate(lines.items())]
    for part in (_reference(lines, first, last, high, palette), _now(now, first, last, palette)):
        base["shapes"] += part[:1]
        base["annotations"] += part[1:]
    return {"data": traces[::-1], "layout": base}


def _there(points: Points) -> list[tuple[int, float]]:
    return sorted((b, float(v)) for b, v in points if v is not None and math.isfinite(v))


def _view(lines: Mapping[str, Sequence[tuple[int, float]]]) -> tuple[int, int, float, float]:
    """First and last bits, lowest and highest dB of the axes."""
    bits, values = zip(*(point for points in lines.values() for point in points), strict=True)
    low, high = min(0.0, *values), max(6.0, *values)
    air = 0.06 * (high - low)
    return min(bits), max(*bits, min(bits) + 1), low - air * (low < 0), high + air


def _line(
    name: str, points: Sequence[tuple[int, float]], rank: int, now: int, palette: Palette
) -> Figure:
    rest = rank >= len(DASHES)
    color = palette.mark(rank)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [b for b, _ in points],
        "y": [v for _, v in points],
        "line": {
            "color": color,
            "width": 1.5 if rest else 2.4,
            "dash": DASHES[0 if rest else rank],
        },
        "marker": {
            "color": color,
            "opacity": 1,
            "line": {"width": 0},
            "size": [10 if b == now else 4 for b, _ in points],
        },
        "hoverinfo": "text",
        "hovertext": [f"<b>{name}</b><br>{b} bits: {decibels(v)}" for b, v in points],
    }


def _reference(
    lines: Mapping[str, Sequence[tuple[int, float]]],
    first: int,
    last: int,
    high: float,
    palette: Palette,
) -> list[Figure]:
    """A roof over all curves with the slope of ideal rounding, and its words."""
    offset = ROOF + max(v - STEP * b for points in lines.values() for b, v in points)
    end = min(float(last), (high - offset) / STEP)
    if end <= first:
        return []
    look = {"line": {"color": palette.muted, "width": 1, "dash": "dot"}, "yref": "y"}
    roof = segment(
        palette.muted, (first, end), (offset + STEP * first, offset + STEP * end), **look
    )
    place = {"xref": "x", "yref": "y", "xanchor": "right", "yanchor": "bottom", "xshift": -2}
    at = first + 0.8 * (end - first)
    return [roof, words("6 dB per bit", palette.muted, x=at, y=offset + STEP * at, **place)]


def _now(now: int, first: int, last: int, palette: Palette) -> list[Figure]:
    if not first <= now <= last:
        return []
    look = {"line": {"color": palette.muted, "width": 1, "dash": "dot"}, "layer": "below"}
    word = f"{now} bit" if now == 1 else f"{now} bits"
    place = {"xref": "x", "yanchor": "bottom"}
    mark = segment(palette.muted, (now, now), (0.0, 1.0), **look)
    return [mark, words(word, palette.ink, x=now, y=1.0, **place)]
