"""Traces that the pictures of the lessons share; one look, few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qviz.figures.theme import Figure, Margins, Palette, axis, layout

HEIGHT = 290  # pixels: a lesson fits one screen
HIDDEN = "It appears once you have guessed."


def canvas(palette: Palette, x: str, y: str, *, height: int = HEIGHT, **margins: int) -> Figure:
    """A layout with both axes titled, grid lines on y."""
    made = layout(palette, height, Margins(**({"top": 24} | margins)), uirevision="lesson")
    made["xaxis"] = axis(palette, x)
    made["yaxis"] = axis(palette, y, grid=True)
    return made


def line(
    x: np.ndarray | Sequence[float], y: np.ndarray | Sequence[float], color: str,
    dash: str = "solid", name: str = "", **more: Any,
) -> Figure:  # fmt: skip
    """A line; its name stands in the hover text."""
    hover = f"{name}: %{{y:.4~g}} at %{{x:.4~g}}<extra></extra>"
    made = {
        "type": "scatter",
        "mode": "lines",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "line": {"color": color, "dash": dash, "width": 2},
        "name": name,
        "hovertemplate": hover,
    }
    return made | more


def dots(
    x: np.ndarray | Sequence[float], y: np.ndarray | Sequence[Any], color: str, size: int = 12,
    name: str = "", **more: Any,
) -> Figure:  # fmt: skip
    """Filled marks."""
    made = {
        "type": "scatter",
        "mode": "markers",
        "x": list(np.asarray(x).tolist()),
        "y": list(np.asarray(y).tolist()),
        "marker": {"size": size, "color": color, "opacity": 1},
        "name": name,
        "hovertemplate": f"{name}: %{{x:.4~g}}, %{{y:.4~g}}<extra></extra>",
    }
    return made | more


def area(edges: np.ndarray, height: np.ndarray, edge: str, fill: str, **more: Any) -> Figure:
    """A histogram as one stepped line with fill; ``edges`` are evenly spaced, one more."""
    made = {
        "type": "scatter",
        "mode": "lines",
        "x0": float(edges[0]),
        "dx": float(edges[1] - edges[0]),
        "y": np.append(height, height[-1:]).astype(np.float32),
        "line": {"shape": "hv", "width": 1, "color": edge},
        "fill": "tozeroy",
        "fillcolor": fill,
        "hovertemplate": "%{x:.3~g}: %{y:.3~g}<extra></extra>",
    }
    return made | more


def bars(
    names: Sequence[Any], lengths: np.ndarray | Sequence[float], colors: str | list[str],
    **more: Any,
) -> Figure:  # fmt: skip
    """Upright bars."""
    made = {
        "type": "bar",
        "x": list(names),
        "y": np.asarray(lengths, np.float64).tolist(),
        "marker": {"color": colors, "line": {"width": 0}},
        "hovertemplate": "%{x}: %{y:.3~g}<extra></extra>",
    }
    return made | more
