"""Pictures of the lesson on one loud channel: channel × value, and SQNR of each channel."""

from __future__ import annotations

import numpy as np

from qviz.figures.lesson import HIDDEN, canvas, dots
from qviz.figures.numbers import decibels
from qviz.figures.theme import Figure, Palette, segment, words

BINS = 120
TICKS = (-100.0, -10.0, -1.0, 0.0, 1.0, 10.0, 100.0)


def channel_values(x: np.ndarray, step: float | None, palette: Palette) -> Figure:
    """Counts of channel × value on an axis that is linear around 0, then logarithmic.

    ``x`` (tokens, channels). Of a ``step`` that all share, half on both sides becomes 0.
    """
    unit = np.arcsinh(x)
    top = float(np.abs(unit).max()) * 1.02
    edges = np.linspace(-top, top, BINS + 1)
    counts = np.stack([np.histogram(column, edges)[0] for column in unit.T])
    shade = np.where(counts > 0, 40 + 215 * np.log1p(counts) / np.log1p(counts.max()), 0)
    made = canvas(palette, "value (linear around 0, then logarithmic)", "channel")
    shown = [t for t in TICKS if abs(np.arcsinh(t)) < top]
    made["xaxis"] |= {
        "range": [-top, top],
        "tickvals": [float(np.arcsinh(t)) for t in shown],
        "ticktext": [f"{t:g}" for t in shown],
    }
    if step is not None:
        made |= _band(float(np.arcsinh(step / 2)), palette)
    blue = palette.highlights[0]
    heat = {
        "type": "heatmap",
        "z": shade.astype(np.uint8),
        "x0": float(edges[0] + edges[1]) / 2,
        "dx": float(edges[1] - edges[0]),
        "y0": 0,
        "dy": 1,
        "zmin": 0,
        "zmax": 255,
        "colorscale": [[0, "rgba(0,0,0,0)"], [0.01, palette.rest], [1, blue]],
        "showscale": False,
        "hoverinfo": "skip",
    }
    return {"data": [heat], "layout": made}


def _band(half: float, palette: Palette) -> Figure:
    """What becomes 0, as a band with dashed sides and its name."""
    band = {"type": "rect", "x0": -half, "x1": half, "y0": 0, "y1": 1, "yref": "paper"}
    edge = {"color": palette.highlights[1], "dash": "dash", "width": 1}
    return {
        "shapes": [
            band | {"layer": "above", "line": {"width": 0}, "fillcolor": palette.band},
            *(segment("", (x, x), (0, 1), line=edge) for x in (-half, half)),
        ],
        "annotations": [words("becomes 0", palette.band_words, x=0.5, y=1, yanchor="bottom")],
    }


def channel_sqnr(
    sqnr: np.ndarray, overall: float, loud: int, palette: Palette, shown: bool
) -> Figure:
    """SQNR of each channel, and that of the whole as a line; ``sqnr`` (channels,) in dB."""
    made = canvas(palette, "SQNR of the channel, dB", "channel", left=48)
    made["xaxis"] |= {"range": [-2, 60]}
    orange = palette.highlights[1]
    made["shapes"] = [segment(palette.ink, (overall, overall), (0, 1), line={"dash": "dash",
                      "color": palette.ink, "width": 1})]  # fmt: skip
    text = f"all together {decibels(overall)}"
    made["annotations"] = [words(text, palette.ink, x=overall, y=1, xref="x", yanchor="bottom")]
    if not shown:
        made["annotations"].append(words(HIDDEN, palette.muted, x=0.5, y=0.5))
        return {"data": [], "layout": made}
    rows = np.arange(sqnr.size)
    colors = [orange if row == loud else palette.highlights[0] for row in rows]
    marks = dots(sqnr, rows, palette.ink, 6, "channel")
    marks["marker"] |= {"color": colors}
    marks["hovertemplate"] = "channel %{y}: %{x:.1f} dB<extra></extra>"
    return {"data": [marks], "layout": made}
