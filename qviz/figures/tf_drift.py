"""Drift: nine values through round trip after round trip, one small figure per mode."""

from __future__ import annotations

import numpy as np

from qviz.figures.numbers import NOTHING, number, percent
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, words
from qviz.pipeline.drift import EARLY, LATE, Drift

HEIGHT = 412  # pixels
SMALL = 290
NEARLY = 1e-3  # steps per trip that nobody sees


def verdict(one: Drift) -> str:
    """What becomes of values, in a few words: ``+1 step per round trip``."""
    if one.drifts:
        sign = "+" if one.slope > 0 else ""
        return f"{sign}{number(one.slope, 2)} step per round trip"
    if abs(one.slope) > NEARLY:
        gone = one.slope * (LATE - EARLY)
        return f"{number(gone, 2)} step in {LATE - EARLY} trips, then none"
    if one.moved:
        return f"stays; a second trip moves {percent(one.moved)}"
    return "stays where it is"


def law(one: Drift) -> str:
    """What the mode declares of itself, beside what was measured."""
    if one.declared:
        return "declared and held" if one.agrees else "declared, and broken here"
    return "not declared, and not held" if one.moved else "not declared, though held here"


def drift_figure(
    title: str, one: Drift, span: tuple[float, float], color: str, palette: Palette, *, few: bool
) -> Figure:
    """Values against round trips; ``span`` is the value axis that all figures share.

    ``few`` figures are taller.
    """
    lo, hi = span
    air = 0.06 * (hi - lo)
    words_color = palette.band_words if one.drifts else palette.muted
    base = layout(palette, HEIGHT if few else SMALL, Margins(48, 8, 46, 44))
    return {
        "data": [_path(path, color) for path in one.paths],
        "layout": base
        | {
            "xaxis": axis(palette, "round trips", grid=True)
            | {"range": [0, one.rounds], "nticks": 4, "tickformat": "d"},
            "yaxis": axis(palette, "value", grid=True)
            | {"range": [lo - air, hi + air], "nticks": 6},
            "annotations": [
                _above(f"<b>{escape(title)}</b>", color, 22),
                _above(verdict(one), words_color, 4),
            ],
        },
    }


def _above(text: str, color: str, pixels: int) -> Figure:
    return words(text, color, x=0.0, y=1.0, xanchor="left", yanchor="bottom", yshift=pixels)


def _path(path: np.ndarray, color: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x0": 0,
        "dx": 1,
        "y": path.astype(np.float32),
        "line": {"color": color, "width": 2},
        "hovertemplate": "after %{x} trips: %{y:.4~g}<extra></extra>",
    }


def error_words(one: Drift, trips: int) -> str:
    """The mean error after so many trips."""
    return number(float(one.errors[trips - 1])) if trips <= one.rounds else NOTHING
