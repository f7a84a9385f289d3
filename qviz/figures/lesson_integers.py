"""Picture of the lesson on integer arithmetic: a ledger, and a gauge with the 32-bit limits."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.lesson import HIDDEN, canvas
from qviz.figures.numbers import integer, number
from qviz.figures.theme import CLEAR, SIZE, Figure, Palette, layout, segment, words

LIMIT = 2**31 - 1
ROW = 24  # pixels
CODES = 2  # first rows: they are given


def ledger(rows: Sequence[tuple[str, str]], palette: Palette, shown: bool) -> Figure:
    """What is done, and what comes of it. Without ``shown`` only the codes of x and w."""
    made = layout(palette, ROW * (len(rows) + 1) + 24, uirevision="lesson")
    made["margin"] = {"l": 0, "r": 0, "t": 4, "b": 4, "pad": 0}
    results = [text if shown or row < CODES else "" for row, (_, text) in enumerate(rows)]
    look = {
        "align": ["left", "right"],
        "fill": {"color": CLEAR},
        "line": {"color": palette.grid, "width": 1},
        "height": ROW,
    }
    table = {
        "type": "table",
        "columnwidth": [58, 42],
        "header": look | {
            "values": ["<b>step</b>", "<b>result</b>"],
            "font": {"color": palette.muted, "size": SIZE},
        },
        "cells": look | {
            "values": [[text for text, _ in rows], results],
            "font": {"color": palette.ink, "size": SIZE},
        },
    }  # fmt: skip
    return {"data": [table], "layout": made}


def gauge(bias_code: float, total: float, palette: Palette, shown: bool) -> Figure:
    """How much of the 32-bit range bias code and sum take, on a logarithmic axis."""
    made = canvas(palette, "share of the 32-bit limit (log)", "", left=100, height=180)
    made["xaxis"] |= {"type": "log", "range": [-7, 2]}
    made["xaxis"] |= {
        "tickvals": [1e-6, 1e-4, 1e-2, 1],
        "ticktext": ["10⁻⁶", "10⁻⁴", "1 %", "limit"],
    }
    made["yaxis"] |= {"range": [-0.6, 1.6], "tickvals": [0, 1], "showgrid": False}
    made["yaxis"] |= {"ticktext": ["sum", "bias code"]}
    orange = palette.highlights[1]
    made["shapes"] = [segment(orange, (1, 1), (0, 1), line={"color": orange, "dash": "dash"})]
    if not shown:
        made["annotations"] = [words(HIDDEN, palette.muted, x=0.5, y=0.5)]
        return {"data": [], "layout": made}
    data = []
    for place, value in ((1, bias_code), (0, total)):
        share = abs(value) / LIMIT
        color = orange if share > 1 else palette.highlights[0]
        data.append(_bar(place, share, color, value))
    return {"data": data, "layout": made}


def _bar(place: int, share: float, color: str, value: float) -> Figure:
    text = integer(int(value)) if abs(value) < 1e12 else number(value)
    return {
        "type": "scatter",
        "mode": "lines+text",
        "x": [1e-7, max(share, 2e-7)],
        "y": [place, place],
        "line": {"color": color, "width": 12},
        "text": ["", f"  {text}"],
        "textposition": "bottom left" if share > 0.01 else "middle right",
        "hovertemplate": f"{text}: {number(share * 100)} % of the limit<extra></extra>",
    }
