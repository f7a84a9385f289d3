"""The error near zero: a saw-tooth from exact corners, and what 0 itself becomes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.figures.numbers import number
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, words

HEIGHT = 222  # pixels
HALF = 3.5  # steps shown on either side of 0
LEAST, MOST = 0.6, 2.5  # of the error axis, in steps
STAYS = 1e-4  # steps below which 0 has not moved
TICKS = {-2.0: "−2", -1.0: "−1", -0.5: "−½", 0.0: "0", 0.5: "½", 1.0: "1", 2.0: "2"}


@dataclass(frozen=True, eq=False)
class NearZero:
    """One mode around 0, in steps of its own: value, error, and what 0 becomes."""

    title: str
    color: str
    value: np.ndarray
    error: np.ndarray
    zero: float


def verdict(zero: float, step: str = "step") -> str:
    """``0 stays 0``, or by how much it moves."""
    if abs(zero) < STAYS:
        return "0 stays 0"
    many = float(f"{abs(zero):.1e}") > 1  # as it is written
    return f"0 moves by {number(zero, 2)} {step}{'s' * many}"


def reach(errors: list[np.ndarray]) -> float:
    """Half the height of the error axis that all figures share."""
    largest = max((float(np.abs(e).max(initial=0.0)) for e in errors), default=0.0)
    return min(max(1.12 * largest, LEAST), MOST)


def near_zero(one: NearZero, palette: Palette, height: float) -> Figure:
    """One small figure; ``height`` is half of the error axis, in steps."""
    base = layout(palette, HEIGHT, Margins(44, 8, 46, 44))
    moved = abs(one.zero) >= STAYS
    ticks = [t for t in TICKS if abs(t) <= height and (height < 1 or t == int(t))]
    edges = np.clip(one.error, -2 * MOST, 2 * MOST)  # far outside: pixels have their limits too
    return {
        "data": [_saw(one, edges), *_dot(one, height)],
        "layout": base
        | {
            "xaxis": axis(palette, "value in steps from 0", grid=True)
            | {"range": [-HALF, HALF], "tickvals": [-2, 0, 2], "ticktext": ["−2", "0", "2"]},
            "yaxis": axis(palette, "error in steps", grid=True)
            | {
                "range": [-height, height],
                "tickvals": ticks,
                "ticktext": [TICKS[t] for t in ticks],
                "zeroline": True,
                "zerolinecolor": palette.rest,
                "fixedrange": True,
            },
            "annotations": [
                _above(f"<b>{escape(one.title)}</b>", one.color, 22),
                _above(verdict(one.zero), palette.band_words if moved else palette.muted, 4),
            ],
        },
    }


def _above(text: str, color: str, pixels: int) -> Figure:
    return words(text, color, x=0.0, y=1.0, xanchor="left", yanchor="bottom", yshift=pixels)


def _saw(one: NearZero, errors: np.ndarray) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": one.value.astype(np.float32),
        "y": errors.astype(np.float32),
        "line": {"color": one.color, "width": 1.8},
        "hovertemplate": "%{x:.3~f} steps from 0: error %{y:.3~f} steps<extra></extra>",
    }


def _dot(one: NearZero, height: float) -> list[Figure]:
    """What 0 becomes, where the axis reaches it."""
    if abs(one.zero) > height:
        return []
    dot = {
        "type": "scatter",
        "mode": "markers",
        "x": [0.0],
        "y": [one.zero],
        "marker": {"color": one.color, "size": 10, "opacity": 1},
        "hovertemplate": f"{verdict(one.zero)}<extra></extra>",
    }
    return [dot]
