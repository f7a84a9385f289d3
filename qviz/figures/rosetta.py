"""Rules as rows in bands of equal answers: the grid covered, the zero point, what differs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qviz.figures.rosetta_lines import Line, placed, raw_of, view_of, whole_of, zero_words
from qviz.figures.rosetta_words import at_most, letter, share
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, segment, words
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import Comparison
from qviz.rosetta.divergence import from_lowest

GRID = (0.245, 0.55)  # part of the width for the brackets
ZERO = (0.592, 0.757)
CODES, VALUES, MOST = 0.853, 0.928, 0.996  # right ends of the columns
LONGEST = 34  # characters of a name
NAME = 0.232  # right end of the names
MARGINS = Margins(left=4, right=4, top=30, bottom=30)


def rosetta(comparison: Comparison, palette: Palette) -> Figure:
    """The picture; points carry the rule's name as customdata."""
    lines, bands, height = placed(comparison)
    fig = layout(palette, height + MARGINS.top + MARGINS.bottom, MARGINS, "rosetta")
    answers = [line.row.answer for line in lines]
    view, whole = view_of(answers), whole_of(answers)
    fig |= {
        "xaxis": _axis(palette, GRID, view),
        "xaxis2": _axis(palette, ZERO, (whole - 0.35, whole + 1.35)) | _ticks(whole),
        "yaxis": {"range": [height, 0], "visible": False, "fixedrange": True},
    }
    fig["shapes"] = [*_bands(bands, palette), *_asked(answers[0], palette, height)]
    fig["shapes"] += [segment(palette.grid, (x, x), (0, 1), xref="x2", layer="below")
                      for x in (whole, whole + 1)]  # fmt: skip
    fig["annotations"] = [*_heads(palette), *_letters(bands, palette)]
    for line in lines:
        fig["annotations"] += _texts(line, palette, whole)
    traces = [_brackets(lines, palette, view, first=first) for first in (False, True)]
    traces += [_zeros(lines, palette, whole, first=first) for first in (False, True)]
    return {"data": traces, "layout": fig}


def _axis(palette: Palette, domain: tuple[float, float], view: tuple[float, float]) -> Figure:
    made = axis(palette) | {"domain": list(domain), "range": list(view), "fixedrange": True}
    return made | {"nticks": 6, "tickangle": 0, "showgrid": False}


def _ticks(whole: int) -> Figure:
    return {
        "tickvals": [whole, whole + 0.5, whole + 1],
        "ticktext": [str(whole), "tie", str(whole + 1)],
        "anchor": "y",
    }


def _bands(bands: Sequence[tuple[float, float, int]], palette: Palette) -> list[Figure]:
    made = []
    for top, bottom, group in bands:
        color = palette.highlights[0] if group == 0 else palette.edge
        place = {"type": "rect", "xref": "paper", "yref": "y", "y0": top, "y1": bottom}
        fill = palette.fill
        made.append(place | {"x0": 0, "x1": 1, "layer": "below", "fillcolor": fill,
                             "opacity": 0.14, "line": {"width": 0}})  # fmt: skip
        made.append(place | {"x0": 0, "x1": 0.004, "layer": "below", "fillcolor": color,
                             "line": {"width": 0}})  # fmt: skip
    return made


def _asked(answer: Answer, palette: Palette, height: int) -> list[Figure]:
    """The range asked for as two dotted lines through all rows."""
    line = {"color": palette.edge, "width": 1, "dash": "dot"}
    ends = [end for end in answer.requested if math.isfinite(end)]
    return [segment(palette.edge, (end, end), (0, height), yref="y", line=line) for end in ends]


def _heads(palette: Palette) -> list[Figure]:
    at = {"yanchor": "bottom", "yshift": 8}
    middle = {"xanchor": "center"} | at
    names = ((CODES, "codes differ"), (VALUES, "values differ"), (MOST, "at most"))
    return [
        words(
            "grid covered, dotted: range asked for", palette.muted, x=sum(GRID) / 2, y=1, **middle
        ),
        words(
            "zero point − lowest code, ○ → ● rounded", palette.muted, x=sum(ZERO) / 2, y=1, **middle
        ),
        *(words(text, palette.muted, x=x, y=1, xanchor="right", **at) for x, text in names),
    ]


def _letters(bands: Sequence[tuple[float, float, int]], palette: Palette) -> list[Figure]:
    return [
        words(f"<b>{letter(group)}</b>", palette.highlights[0] if group == 0 else palette.muted,
              x=0.02, y=(top + bottom) / 2, yref="y", xanchor="center", yanchor="middle")
        for top, bottom, group in bands
    ]  # fmt: skip


def _texts(line: Line, palette: Palette, whole: int) -> list[Figure]:
    row, at = line.row, {"yref": "y", "yanchor": "middle"}
    ink = palette.highlights[0] if line.first else palette.ink
    name = escape(line.name, LONGEST)
    cells = ((CODES, share(row.codes_differ)), (VALUES, share(row.values_differ)),
             (MOST, at_most(row.at_most)))  # fmt: skip
    made = [
        words(
            f"<b>{name}</b>" if line.first else name,
            palette.ink,
            x=NAME,
            y=line.y,
            xanchor="right",
            **at,
        )
    ]
    made += [words(text, ink, x=x, y=line.y, xanchor="right", **at) for x, text in cells if text]
    if line.more:
        return made
    said = zero_words(row.answer, whole)
    if said:
        made.append(words(said, palette.muted, x=sum(ZERO) / 2, y=line.y, xanchor="center", **at))
    if row.answer.quantizer is None or row.answer.degenerate:
        text = row.answer.degenerate
        made.append(words(text, palette.muted, x=sum(GRID) / 2, y=line.y, xanchor="center", **at))
    return made


def _brackets(
    lines: Sequence[Line], palette: Palette, view: tuple[float, float], *, first: bool
) -> Figure:
    x, y, symbols, data, texts = [], [], [], [], []
    for line in (line for line in lines if line.first == first and not line.more):
        span = line.row.answer.covered
        if line.row.answer.degenerate or span is None or not all(map(math.isfinite, span)):
            continue
        low, high = max(span[0], view[0]), min(span[1], view[1])
        x += [low, high, None]
        y += [line.y, line.y, None]
        symbols += ["line-ns" if low == span[0] else "triangle-left",
                    "line-ns" if high == span[1] else "triangle-right", "line-ns"]  # fmt: skip
        data += [line.row.answer.rule.name] * 3
        texts += [_hover(line)] * 3
    color = palette.highlights[0] if first else palette.edge
    return {
        "type": "scatter", "x": x, "y": y, "mode": "lines+markers", "customdata": data,
        "hovertext": texts, "hoverinfo": "text", "cliponaxis": False,
        "line": {"color": color, "width": 2.5},
        "marker": {"symbol": symbols, "size": 11, "color": color,
                   "line": {"color": color, "width": 2.5}},
    }  # fmt: skip


def _zeros(lines: Sequence[Line], palette: Palette, whole: int, *, first: bool) -> Figure:
    x, y, symbols, data, texts = [], [], [], [], []
    for line in (line for line in lines if line.first == first and not line.more):
        answer = line.row.answer
        raw, zero = raw_of(answer), answer.zero_point
        if raw is None or zero is None or zero_words(answer, whole):
            continue
        x += [raw, from_lowest((float(zero),), answer)[0], None]
        y += [line.y, line.y, None]
        symbols += ["circle-open", "circle", "circle"]
        data += [answer.rule.name] * 3
        texts += [_hover(line)] * 3
    color = palette.highlights[0] if first else palette.edge
    return {
        "type": "scatter", "x": x, "y": y, "mode": "lines+markers", "xaxis": "x2",
        "customdata": data, "hovertext": texts, "hoverinfo": "text", "cliponaxis": False,
        "line": {"color": color, "width": 1.5},
        "marker": {"symbol": symbols, "size": [7, 12, 7] * (len(x) // 3),
            "opacity": 1, "color": color,
                   "line": {"color": color, "width": 2}},
    }  # fmt: skip


def _hover(line: Line) -> str:
    answer = line.row.answer
    scale = "–" if answer.scale is None else f"{answer.scale!r} ({float(answer.scale).hex()})"
    span = "–" if answer.covered is None else "[{!r}, {!r}]".format(*answer.covered)
    return "<br>".join([
        f"<b>{escape(line.row.answer.rule.title)}</b>", *map(escape, line.rules[1:]),
        f"scale {scale}", f"zero point {answer.zero_point} (before rounding "
        f"{answer.raw_zero_point})", f"covers {span}",
    ])  # fmt: skip
