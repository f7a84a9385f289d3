"""Pictures of the lessons on zero: brackets asked for and covered, levels near 0, used codes."""

from __future__ import annotations

import numpy as np

from qviz.figures.lesson import HIDDEN, bars, canvas, dots
from qviz.figures.numbers import interval, number
from qviz.figures.theme import Figure, Palette, axis, segment, words

ROWS = (1.0, 0.4)  # heights of the two brackets
NEAR = 4  # levels shown on either side of 0
NARROW = 128  # codes from which bars have no gaps


def brackets(
    asked: tuple[float, float],
    covered: tuple[float, float],
    step: float,
    raw: float,
    palette: Palette,
    shown: bool,
) -> Figure:
    """Range asked for over range covered, and the levels around 0 magnified.

    ``raw`` is the code of 0 before it is rounded. Without ``shown`` only what was asked for is
    drawn, and where the unmoved levels would lie.
    """
    made = canvas(palette, "value", "", left=90)
    air = 0.2 * (asked[1] - asked[0])
    made["xaxis"] |= {"range": [asked[0] - air, asked[1] + air], "domain": [0, 0.56]}
    ticks = {"tickvals": list(ROWS), "ticktext": ["asked for", "covered"], "range": [0, 1.3]}
    made["yaxis"] = axis(palette) | ticks
    made["xaxis2"] = axis(palette, "value, near 0") | {"domain": [0.64, 1], "anchor": "y2"}
    made["xaxis2"] |= {"range": [-NEAR * step, NEAR * step]}
    made["yaxis2"] = axis(palette) | {"range": [0, 1.3], "showticklabels": False, "anchor": "x2"}
    made["shapes"] = _bracket(asked, ROWS[0], palette.muted)
    made["annotations"] = [_written(asked, ROWS[0], palette.muted)]
    made["shapes"] += [_level(v, ROWS[0], palette.muted) for v in _around(step, -raw % 1)]
    if shown:
        blue = palette.highlights[0]
        made["shapes"] += _bracket(covered, ROWS[1], blue)
        made["shapes"] += [_level(v, ROWS[1], blue) for v in _around(step, 0.0)]
        made["annotations"].append(_written(covered, ROWS[1], blue))
        made["annotations"].append(
            words(f"0 would be code {number(raw, 6)}", palette.ink, x=0.82, y=1.0)
        )
    else:
        made["annotations"].append(words(HIDDEN, palette.muted, x=0.28, y=0.3))
    zero = dots([0.0], [ROWS[0]], palette.highlights[1], 9, "0", xaxis="x2", yaxis="y2")
    return {"data": [zero], "layout": made}


def _around(step: float, shift: float) -> list[float]:
    return [(k + shift) * step for k in range(-NEAR, NEAR + 1)]


def _bracket(ends: tuple[float, float], y: float, color: str) -> list[Figure]:
    thick = {"yref": "y", "line": {"color": color, "width": 3}}
    sides = [segment(color, (e, e), (y - 0.07, y + 0.07), **thick) for e in ends]
    return [segment(color, ends, (y, y), **thick), *sides]


def _level(x: float, y: float, color: str) -> Figure:
    return segment(color, (x, x), (y - 0.16, y + 0.16), xref="x2", yref="y2")


def _written(ends: tuple[float, float], y: float, color: str) -> Figure:
    middle = (ends[0] + ends[1]) / 2
    place = {"xref": "x", "yref": "y", "yanchor": "bottom", "yshift": 6}
    return words(interval(*ends, digits=6), color, x=middle, y=y, **place)


def codes_used(counts: np.ndarray, palette: Palette, shown: bool) -> Figure:
    """Elements per code; codes that nobody uses are hollow. ``counts`` (codes,) from code 0 on."""
    made = canvas(palette, "code", "elements")
    made["xaxis"] |= {"range": [-1, counts.size]}
    if not shown:
        made["annotations"] = [words(HIDDEN, palette.muted, x=0.5, y=0.6)]
        return {"data": [], "layout": made}
    used, codes = counts > 0, np.arange(counts.size)
    hollow = {"color": "rgba(0,0,0,0)", "line": {"color": palette.rest, "width": 1}}
    low = float(counts.max(initial=1)) * 0.04
    gap = {"width": 1 if counts.size >= NARROW else 0.8}
    made["annotations"] = [
        words("hollow: unused", palette.muted, x=1, y=1, xanchor="right", yanchor="bottom")
    ]
    return {
        "data": [
            bars(codes[used].tolist(), counts[used], palette.edge, **gap),
            bars(codes[~used].tolist(), np.full((~used).sum(), low), palette.rest, **gap)
            | {"marker": hollow, "hovertemplate": "%{x}: unused<extra></extra>"},
        ],
        "layout": made | {"barmode": "overlay"},
    }
