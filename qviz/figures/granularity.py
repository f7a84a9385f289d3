"""Granularities side by side: what comes back under each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.figures.labels import CHARACTER
from qviz.figures.numbers import decibels
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, words

ROW = 26  # pixels


def rows_of_decibels(
    values: Sequence[tuple[str, float | None, bool]], palette: Palette, title: str
) -> Figure:
    """One row a name: a bar from 0 with its dB at the right; the best is blue.

    A value of None has no bar; infinity reaches the right end and is called "exact". The third
    of a triple says whether a row may be the best: what is for analysis only may not.
    """
    known = [v for _, v, _ in values if v is not None and np.isfinite(v)]
    high, low = max([*known, 1.0]), min([*known, 0.0])
    best = max((v for _, v, may in values if may and v is not None), default=None)
    shown = [0.0 if v is None else min(v, high) for _, v, _ in values]
    colors = [
        palette.highlights[0] if may and v is not None and v == best else palette.rest
        for _, v, may in values
    ]
    left = 24 + round(CHARACTER * max(len(name) for name, _, _ in values))
    out = layout(palette, ROW * len(values) + 52, Margins(min(left, 190), 64, 8, 44))
    out["xaxis"] = axis(palette, title, grid=True) | {"range": [low * 1.1, high * 1.02]}
    out["xaxis"] |= {"fixedrange": True, "nticks": 5}
    out["yaxis"] = axis(palette) | {
        "range": [len(values) - 0.5, -0.5], "fixedrange": True,
        "tickvals": list(range(len(values))), "ticktext": [name for name, _, _ in values],
    }  # fmt: skip
    out["annotations"] = [
        words(_text(v), palette.ink, x=1.0, y=i, yref="y", xanchor="left", xshift=6)
        for i, (_, v, _) in enumerate(values)
    ]
    bars = {
        "type": "bar", "orientation": "h", "x": np.array(shown, np.float32),
        "y": np.arange(len(values), dtype=np.int16), "marker": {"color": colors},
        "width": 0.62, "hoverinfo": "skip",
    }  # fmt: skip
    return {"data": [bars], "layout": out}


def _text(value: float | None) -> str:
    if value is None:
        return "–"
    return "exact" if np.isinf(value) else decibels(value)
