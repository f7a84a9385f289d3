"""What each repair gains: a bar for each, its words above it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.doctor.base import Fix
from qviz.figures.doctor_words import WHERE
from qviz.figures.numbers import decibels, percent
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, words

ROW, MOST, LONGEST = 44, 8, 52  # pixels of a repair; repairs; characters of its words
RIGHT, SHARE = 76, 84  # pixels for the gain, and for the share that is right
ONLY = ", for analysis only"


def repairs(fixes: Sequence[Fix], palette: Palette, analysis: Sequence[Fix] = ()) -> Figure:
    """One row a fix, best first and green; a gain measured elsewhere than the first's says where.

    Ways of ``analysis`` follow as outlines: what they gain cannot be deployed. At most 8 rows; bars
    start at 0 dB. Where the model was run on labels, the share that is then right stands at the
    right.
    """
    shown = [*fixes, *analysis][:MOST]
    count = min(len(fixes), MOST)
    right = RIGHT + SHARE * any(fix.accuracy is not None for fix in shown)
    out = layout(palette, ROW * len(shown) + 8, Margins(2, right, 4, 4), uirevision="repairs")
    top = max([fix.gain_db for fix in shown], default=1.0)
    out["xaxis"] = axis(palette) | {"range": [0, max(top, 0.1)], "fixedrange": True}
    out["xaxis"]["showticklabels"] = False
    out["yaxis"] = axis(palette) | {
        "range": [len(shown) - 0.5, -0.5], "fixedrange": True, "showticklabels": False,
    }  # fmt: skip
    out["annotations"] = [
        note
        for i, fix in enumerate(shown)
        for note in _row(i, fix, shown[0], palette, ONLY * (i >= count))
    ]
    green, clear = palette.highlights[2], "rgba(0,0,0,0)"
    filled = [green, *[palette.edge] * count][:count]
    bars = {
        "type": "bar", "orientation": "h",
        "x": np.array([fix.gain_db for fix in shown], np.float32),
        "y": np.arange(len(shown)) + 0.18, "width": 0.36, "hoverinfo": "skip",
        "marker": {
            "color": [*filled, *[clear] * (len(shown) - count)],
            "line": {"color": [*filled, *[palette.edge] * (len(shown) - count)], "width": 1.5},
        },
    }  # fmt: skip
    return {"data": [bars], "layout": out}


def _row(at: int, fix: Fix, first: Fix, palette: Palette, more: str) -> list[Figure]:
    text = escape(fix.action, LONGEST) + more
    if fix.measured_at != first.measured_at:
        text += f", {WHERE.get(fix.measured_at, 'on the tensor')}"
    text = text[:1].upper() + text[1:]
    place, below = {"yref": "y", "y": at - 0.24}, {"yref": "y", "y": at + 0.18}
    gain = {"x": 1.0, "xanchor": "left", "xshift": 8, **below}
    made = [
        words(text, palette.muted if more else palette.ink, x=0.0, xanchor="left", **place),
        words(f"<b>+{decibels(fix.gain_db)}</b>", palette.ink, **gain),
    ]
    if fix.accuracy is not None:
        said, share = f"{percent(fix.accuracy)} right", gain | {"xshift": RIGHT}
        made.append(words(said, palette.muted, **share))
    return made
