"""Contours of the field: bands of decibels lost, lines, and where both parts cost the same."""

from __future__ import annotations

import numpy as np

from qviz.figures.theme import Figure, Palette
from qviz.pipeline.landscape_views import Field, raised

MOST = 12  # dB lost that are told apart
LINES = ((0.5, 1.6), (3.0, 1.1), (6.0, 1.1))  # dB lost, width of the contour
HUES = {"light": ("#F7FBFE", "#5B86A8"), "dark": ("#4080AC", "#152733")}  # best, worst


def lost(field: Field) -> np.ndarray:
    """Hundredths of a decibel below the best point of the field, at most 12 dB; int16."""
    height = raised(field.sqnr)
    return np.minimum(np.rint((height.max() - height) * 100), MOST * 100).astype(np.int16)


def _contour(field: Field, z: np.ndarray) -> Figure:
    return {
        "type": "contour",
        "x": field.lower.astype(np.float32),
        "y": field.upper.astype(np.float32),
        "z": z,
        "hoverinfo": "skip",
        "showscale": False,
    }


def bands(field: Field, palette: Palette) -> Figure:
    """Bands of 1 dB with their scale."""
    ticks = list(range(0, MOST + 1, 3))
    bar = {
        "title": {"text": "dB lost", "font": {"color": palette.muted}},
        "thickness": 10,
        "len": 0.6,
        "outlinewidth": 0,
        "tickvals": [100 * tick for tick in ticks],
        "ticktext": [f"{tick}+" if tick == MOST else str(tick) for tick in ticks],
        "tickfont": {"color": palette.muted},
    }
    return _contour(field, lost(field)) | {
        "colorscale": [[0, HUES[palette.name][0]], [1, HUES[palette.name][1]]],
        "contours": {"start": 100, "end": (MOST - 1) * 100, "size": 100, "coloring": "fill"},
        "zmin": 0,
        "zmax": MOST * 100,
        "line": {"width": 0},
        "showscale": True,
        "colorbar": bar,
    }


def lines(field: Field, palette: Palette) -> list[Figure]:
    """Lines at 0.5, 3 and 6 dB lost."""
    z = lost(field)
    return [
        _level(field, z, 100 * level, {"color": palette.edge, "width": width})
        for level, width in LINES
    ]


def balance(field: Field, palette: Palette) -> Figure:
    """The dashed line on which clipping and rounding cost the same."""
    z = np.rint(field.balance * 100).astype(np.int16)
    return _level(field, z, 0, {"color": palette.highlights[1], "width": 2, "dash": "dash"})


def _level(field: Field, z: np.ndarray, level: float, line: Figure) -> Figure:
    contours = {"type": "constraint", "operation": "=", "value": level}
    return _contour(field, z) | {"contours": contours, "line": line}
