"""quantize_and_dequantize: what comes back, and below it where the gradient stops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.dialects.tensorflow.versions import Version
from qviz.figures.theme import DASHES, Figure, Margins, Palette, axis, layout, segment, words

HEIGHT = 400  # pixels
SPLIT = (0.36, 0.44)  # top of the lower panel, bottom of the upper one


def round_trip_figure(
    x: np.ndarray, found: Sequence[Version], bounds: tuple[float, float], palette: Palette
) -> Figure:
    """Curves over ascending ``x`` (n,): one of what comes back, one gradient per version.

    Dotted lines mark the bounds as passed; versions with equal gradients share a line.
    """
    served = [v for v in found if v.back is not None]
    shared: dict[bytes, list[Version]] = {}
    for v in served:
        shared.setdefault(np.asarray(v.gradient).tobytes(), []).append(v)
    base = layout(palette, HEIGHT, Margins(48, 16, 28, 44))
    mark = {"color": palette.edge, "width": 1, "dash": "dot"}
    view = [float(x[0]), float(x[-1])]
    lines = [segment(palette.edge, (b, b), (0.0, 1.0), line=mark) for b in sorted(set(bounds))]
    gradients = [_gradient(x, group, rank, palette) for rank, group in enumerate(shared.values())]
    return {
        "data": [_identity(view, palette), *_curve(x, served, palette), *gradients],
        "layout": base
        | {
            "shapes": lines,
            "xaxis": axis(palette, "value", grid=True) | {"range": view, "anchor": "y2"},
            "yaxis": axis(palette, "comes back as", grid=True) | {"domain": [SPLIT[1], 1.0]},
            "yaxis2": axis(palette, "gradient")
            | {
                "domain": [0.0, SPLIT[0] - 0.06],
                "range": [-0.12, 1.2],
                "tickvals": [0, 1],
                "fixedrange": True,
            },
            "annotations": [
                _name(group, rank, palette) for rank, group in enumerate(shared.values())
            ],
        },
    }


def _identity(view: list[float], palette: Palette) -> Figure:
    line = {"color": palette.muted, "width": 1, "dash": "dot"}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": view,
        "y": view,
        "line": line,
        "hoverinfo": "skip",
    }


def _curve(x: np.ndarray, served: Sequence[Version], palette: Palette) -> list[Figure]:
    """What comes back; the versions agree, so one curve stands for all."""
    if not served or served[0].back is None:
        return []
    trace = {
        "type": "scatter",
        "mode": "lines",
        "x": x.astype(np.float32),
        "y": served[0].back.astype(np.float32),
        "line": {"color": palette.highlights[0], "width": 2, "shape": "hvh"},
        "hovertemplate": "%{x:.4~g} comes back as %{y:.4~g}<extra></extra>",
    }
    return [trace]


def _gradient(x: np.ndarray, group: list[Version], rank: int, palette: Palette) -> Figure:
    gradient = np.asarray(group[0].gradient)
    trace: Figure = {
        "type": "scatter",
        "mode": "lines",
        "x": x.astype(np.float32),
        "y": gradient.astype(np.float32),
        "yaxis": "y2",
        "line": {
            "color": palette.highlights[rank],
            "width": 2,
            "dash": DASHES[rank],
            "shape": "hvh",
        },
        "hovertemplate": f"{_names(group)}: gradient %{{y}} at %{{x:.4~g}}<extra></extra>",
    }
    return trace


def _names(group: list[Version]) -> str:
    return " and ".join(v.name for v in group)


def _name(group: list[Version], rank: int, palette: Palette) -> Figure:
    """Names above the lower panel, from left to right."""
    text = f"<b>{_names(group)}</b>"
    place = {"xanchor": "left", "yanchor": "bottom", "bgcolor": palette.background}
    return words(text, palette.highlights[rank], x=0.02 + 0.3 * rank, y=SPLIT[0] - 0.06, **place)
