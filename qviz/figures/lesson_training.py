"""Pictures of the lesson on training: the terms of a gradient, and the way of a learned range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.figures.lesson import HEIGHT, HIDDEN, bars, canvas, dots, line
from qviz.figures.numbers import number
from qviz.figures.theme import Figure, Palette, axis, segment, words

UPPER, LOWER = [0.64, 1.0], [0.0, 0.5]


def gradient_terms(
    x: np.ndarray, to_x: np.ndarray, terms: np.ndarray, palette: Palette, shown: bool
) -> Figure:
    """Gradient to each value over the terms of the gradient to maxq, one bar per value."""
    made = canvas(palette, "value", "", left=64)
    names = [f"{number(v)}" for v in x.tolist()]
    made["xaxis"] |= {"type": "category", "anchor": "y2"}
    made["yaxis"] = axis(palette, "to the value") | {
        "domain": UPPER,
        "range": [0, 1.25],
        "dtick": 1,
    }
    made["yaxis2"] = axis(palette, "to maxq", grid=True) | {"domain": LOWER, "range": [-1.3, 1.3]}
    made["yaxis2"] |= {"zeroline": True, "zerolinecolor": palette.muted}
    data = [bars(names, to_x, palette.highlights[0], width=0.6)]
    if shown:
        colors = [palette.highlights[1] if g == 0 else palette.edge for g in to_x.tolist()]
        bar = bars(names, terms, colors, yaxis="y2", width=0.6)
        data.append(bar | {"text": [number(t) for t in terms.tolist()], "textposition": "outside"})
        text = f"sum {number(float(terms.sum()))}"
        made["annotations"] = [words(text, palette.ink, x=1, y=LOWER[1], xanchor="right",
                                     yanchor="bottom")]  # fmt: skip
    else:
        blank = bars(names, [0.0] * len(names), palette.edge, yaxis="y2")
        data.append(blank)
        made["annotations"] = [words(HIDDEN, palette.muted, x=0.5, y=0.25)]
    return {"data": data, "layout": made}


def way_of_maxq(
    clips: np.ndarray,
    error: np.ndarray,
    path: Sequence[tuple[float, float]],
    rate: float,
    palette: Palette,
) -> Figure:
    """Mean squared error over maxq, and the places a learned maxq went through, the last one big.

    ``path`` holds maxq and its error, step by step.
    """
    made = canvas(palette, "maxq (log)", "mean squared error (log)", height=HEIGHT)
    low, high = float(error.min()), float(error.max())
    view = [np.log10(low) - 0.15, np.log10(high) + 0.1]
    made["xaxis"] |= {"type": "log", "tickvals": [0.2, 0.5, 1, 2, 5, 10], "range": [-0.75, 1.05]}
    made["yaxis"] |= {"type": "log", "range": view, "dtick": 1}
    blue = palette.highlights[0]
    x, y = (np.array(part) for part in zip(*path, strict=True))
    text = f"step {len(path) - 1}: {number(float(x[-1]))}"
    made["annotations"] = [
        words(text, blue, x=float(np.log10(x[-1])), y=float(np.log10(y[-1])), xref="x", yref="y",
              xanchor="left", xshift=10, yshift=8),
        words(f"rate {number(rate)}, mean squared error", palette.muted, x=1, y=1, xanchor="right",
              yanchor="bottom"),
    ]  # fmt: skip
    made["shapes"] = [
        segment(palette.muted, (x[0], x[0]), (0, 1), line={"dash": "dot", "width": 1})
    ]
    data = [
        line(clips, error, palette.ink, name="error"),
        dots(x, y, blue, 6, "on the way"),
        dots(x[-1:], y[-1:], blue, 13, "now"),
    ]
    return {"data": data, "layout": made}
