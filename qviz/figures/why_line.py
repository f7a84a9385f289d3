"""An element between the levels around it, and how many rules go each way."""

from __future__ import annotations

from collections import Counter

from qviz.figures.numbers import MOST_DIGITS, number
from qviz.figures.theme import Figure, Margins, Palette, layout, segment, words
from qviz.pipeline.element import Why
from qviz.pipeline.element_line import Line
from qviz.pipeline.element_rules import DOWN, STAY, UP

HEIGHT, TOP, BOTTOM = 150, 44, 34  # pixels
SIDE = 0.5  # of a step, left and right of the levels
EDGE = 0.25  # of the view: how near to its ends the arrows may stand
LINE, ARROW = 0.0, 46  # height of the axis; pixels of an arrow


def number_line(why: Why, palette: Palette) -> Figure | None:
    """Four levels (solid), their boundaries (dotted), the element, and two arrows.

    None for a value that is not finite. A value beyond the levels stands at the edge.
    """
    line = why.line
    if line is None or len(line.levels) < 2:
        return None
    view = _view(line)
    at = min(max(why.element.value, view[0]), view[1])
    inside = at == why.element.value
    figure = layout(palette, HEIGHT + TOP + BOTTOM, Margins(8, 8, TOP, BOTTOM), "line")
    figure |= {
        "xaxis": {"range": [*view], "visible": False, "fixedrange": True},
        "yaxis": {"range": [-0.12, 1.0], "visible": False, "fixedrange": True},
    }
    figure["shapes"] += [segment(palette.muted, view, (0.0, 0.0), yref="y")]
    figure["shapes"] += _lines(line, palette)
    figure["annotations"] += [*_names(line, palette), *_arrows(why, at, view, palette)]
    said = "this element" if inside else "this element lies further on"
    figure["annotations"].append(
        words(
            f"<b>{said}</b>", palette.mark(1), x=at, y=0.22, xref="x", yref="y",
            bgcolor=palette.background, borderpad=1,
            xanchor="center" if inside else "right" if at == view[1] else "left",
        )
    )  # fmt: skip
    return {"data": [_dot(at, inside, view, palette)], "layout": figure}


def _view(line: Line) -> tuple[float, float]:
    lo, hi = line.levels[0].value, line.levels[-1].value
    air = SIDE * (hi - lo) / (len(line.levels) - 1)
    return lo - air, hi + air


def _lines(line: Line, palette: Palette) -> list[Figure]:
    solid = {"color": palette.ink, "width": 2.2}
    dotted = {"color": palette.muted, "width": 1.2, "dash": "dot"}
    levels = [
        segment("", (level.value, level.value), (0.0, 0.62), yref="y", line=solid)
        for level in line.levels
    ]
    return levels + [segment("", (b, b), (0.0, 0.62), yref="y", line=dotted) for b in _shown(line)]


def _shown(line: Line) -> list[float]:
    """Boundaries, and the end of the codes where it decides."""
    view = _view(line)
    found = [*line.boundaries, *([] if line.nearest is None else [line.nearest])]
    return sorted({b for b in found if view[0] <= b <= view[1]})


def _names(line: Line, palette: Palette) -> list[Figure]:
    notes = []
    for level, text in zip(line.levels, _digits(line), strict=True):
        place = {"x": level.value, "xref": "x", "yref": "y"}
        code = f"code <b>{level.code}</b>"
        notes.append(words(code, palette.ink, y=0.64, yanchor="bottom", **place))
        notes.append(words(text, palette.muted, y=-0.03, yanchor="top", **place))
    return notes


def _digits(line: Line) -> list[str]:
    """Levels with enough digits to tell them apart, two more than that."""
    values = [level.value for level in line.levels]
    for digits in range(3, MOST_DIGITS):
        if len({number(v, digits) for v in values}) == len(values):
            return [number(v, digits + 1) for v in values]
    return [number(v, MOST_DIGITS) for v in values]


def _arrows(why: Why, at: float, view: tuple[float, float], palette: Palette) -> list[Figure]:
    """How many rules give less, and how many give more."""
    ways = Counter(answer.goes for answer in why.answers)
    lo, hi = view
    at = min(max(at, lo + EDGE * (hi - lo)), hi - EDGE * (hi - lo))
    notes = []
    for side, color, way, word in (
        (-1, palette.mark(0), DOWN, "down"),
        (1, palette.mark(2), UP, "up"),
    ):
        if ways[way]:
            text = f"<b>{_rules(ways[way])} {word}</b>"
            place = {"x": at, "y": 0.98, "xref": "x", "yref": "y", "xshift": side * 4}
            notes.append(_arrow(side, color, place))
            reach = {"xshift": side * (ARROW + 8), "xanchor": "left" if side > 0 else "right"}
            notes.append(words(text, color, **(place | reach), yanchor="middle"))
    if ways[STAY]:
        text = f"{_rules(ways[STAY])} leave{'s' * (ways[STAY] == 1)} it"
        notes.append(words(text, palette.muted, x=at, y=1.0, xref="x", yref="y", yshift=26))
    return notes


def _rules(n: int) -> str:
    return f"{n} rule{'' if n == 1 else 's'}"


def _arrow(side: int, color: str, place: Figure) -> Figure:
    arrow = words("", color, **place)
    return arrow | {
        "showarrow": True, "ax": -side * ARROW, "ay": 0, "arrowhead": 2, "arrowsize": 1.2,
        "arrowwidth": 2, "arrowcolor": color, "xshift": side * (ARROW + 4), "standoff": 0,
    }  # fmt: skip


def _dot(at: float, inside: bool, view: tuple[float, float], palette: Palette) -> Figure:
    symbol = "circle" if inside else "triangle-right" if at == view[1] else "triangle-left"
    return {
        "type": "scatter", "mode": "markers", "x": [at], "y": [LINE], "cliponaxis": False,
        "marker": {"symbol": symbol, "size": 13, "color": palette.mark(1)},
        "hovertemplate": "%{x:.9g}<extra></extra>",
    }  # fmt: skip
