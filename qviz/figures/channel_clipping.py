"""Where along an axis the clipped elements lie: share of their number and of their energy."""

from __future__ import annotations

import numpy as np

from qviz.figures.numbers import integer, percent
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment, words
from qviz.pipeline.clipping_where import AlongAxis

MOST = 100  # bars of an axis; longer ones are drawn in runs of indices
HEIGHT = 190


def clipped_along(found: AlongAxis, palette: Palette) -> Figure:
    """Bars by index: orange the share of clipped energy, grey below it that of their number.

    Each side has its own scale, named at its end.
    """
    run = -(-len(found.count) // MOST)
    starts = np.arange(0, len(found.count), run)
    energy, count = (np.add.reduceat(v, starts) for v in (found.energies, found.counts))
    most, many = (max(float(v.max()), 1e-9) for v in (energy, count))
    out = layout(palette, HEIGHT, Margins(44, 12, 30, 40))
    title = f"index along axis {found.axis}" + (f", {integer(run)} a bar" if run > 1 else "")
    out["xaxis"] = axis(palette, title) | {"fixedrange": True, "nticks": 6}
    out["xaxis"] |= {"range": [-0.8 * run, float(starts[-1]) + 0.8 * run]}
    out["yaxis"] = axis(palette, grid=True) | {"fixedrange": True}
    out["yaxis"] |= {"range": [-1.05, 1.05], "tickvals": [-1, 0, 1]}
    out["yaxis"] |= {"ticktext": [percent(many), "0", percent(most)]}
    out["shapes"] = [segment(palette.muted, (0, 1), (0, 0), xref="paper", yref="y")]
    place = {"yanchor": "bottom", "y": 1.0}
    out["annotations"] = [
        words("<b>energy</b>, up", palette.band_words, x=0.0, xanchor="left", **place),
        words("number, down", palette.muted, x=1.0, xanchor="right", **place),
    ]
    return {
        "data": [
            _bars(starts, energy, most, palette.highlights[1], "of the clipped energy"),
            _bars(starts, count, -many, palette.edge, "of the clipped elements"),
        ],
        "layout": out | {"barmode": "overlay", "bargap": 0.1},
    }


def _bars(starts: np.ndarray, values: np.ndarray, one: float, color: str, what: str) -> Figure:
    """Bars in units of ``one``, which may be negative: these hang down."""
    run = int(starts[1]) if len(starts) > 1 else 1
    return {
        "type": "bar", "x": starts.astype(np.int32), "y": (values / one).astype(np.float32),
        "width": max(0.9 * run, 0.9), "marker": {"color": color}, "name": what,
        "hovertemplate": "index %{x}: %{customdata} " + what + "<extra></extra>",
        "customdata": [percent(float(v)) for v in values],
    }  # fmt: skip


def words_along(found: AlongAxis) -> str:
    """The index with the most clipped energy, and how few elements hold it."""
    top, whole = found.top, int(found.count.sum())
    here = int(found.count[top])
    elements = f"{integer(here)} of {integer(whole)} clipped elements"
    share = percent(float(found.energies[top]))
    return (
        f"Axis {found.axis}: index {integer(top)} of {integer(len(found.count))} holds {share} "
        f"of the clipped energy in {elements}."
    )
