"""What each repair gains: a bar for each, its words above it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.doctor.base import Fix
from qviz.figures.doctor_words import WHERE
from qviz.figures.numbers import decibels
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, words

ROW, MOST, LONGEST = 44, 8, 52  # pixels of a repair; repairs; characters of its words
RIGHT = 76  # pixels for the number


def repairs(fixes: Sequence[Fix], palette: Palette) -> Figure:
    """One row a fix, best first and green; a gain measured elsewhere than the first's says where.

    At most 8 rows; bars start at 0 dB.
    """
    shown = list(fixes)[:MOST]
    out = layout(palette, ROW * len(shown) + 8, Margins(2, RIGHT, 4, 4), uirevision="repairs")
    top = max([fix.gain_db for fix in shown], default=1.0)
    out["xaxis"] = axis(palette) | {"range": [0, max(top, 0.1)], "fixedrange": True}
    out["xaxis"]["showticklabels"] = False
    out["yaxis"] = axis(palette) | {
        "range": [len(shown) - 0.5, -0.5], "fixedrange": True, "showticklabels": False,
    }  # fmt: skip
    out["annotations"] = [
        note for i, fix in enumerate(shown) for note in _row(i, fix, shown[0], palette)
    ]
    green = palette.highlights[2]
    bars = {
        "type": "bar", "orientation": "h",
        "x": np.array([fix.gain_db for fix in shown], np.float32),
        "y": np.arange(len(shown)) + 0.18, "width": 0.36, "hoverinfo": "skip",
        "marker": {"color": [green, *[palette.edge] * (len(shown) - 1)][: len(shown)]},
    }  # fmt: skip
    return {"data": [bars], "layout": out}


def _row(at: int, fix: Fix, first: Fix, palette: Palette) -> list[Figure]:
    place = {"yref": "y", "y": at - 0.24}
    text = escape(fix.action, LONGEST)
    if fix.measured_at != first.measured_at:
        text += f", {WHERE.get(fix.measured_at, 'on the tensor')}"
    bold = f"<b>+{decibels(fix.gain_db)}</b>"
    return [
        words(text[:1].upper() + text[1:], palette.ink, x=0.0, xanchor="left", **place),
        words(bold, palette.ink, x=1.0, xanchor="left", xshift=8, yref="y", y=at + 0.18),
    ]
