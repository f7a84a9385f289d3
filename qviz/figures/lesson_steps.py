"""Pictures of the lessons on steps and on bits: staircase, saw-tooth, SQNR against bits."""

from __future__ import annotations

import numpy as np

from qviz.figures.lesson import HIDDEN, area, canvas, dots, line
from qviz.figures.numbers import number
from qviz.figures.theme import Figure, Palette, axis, segment, words

PANELS = ([0.86, 1.0], [0.3, 0.8], [0.0, 0.22])  # number line, staircase, saw-tooth
VIEW = (-3.0, 3.0)


def staircase(
    levels: np.ndarray, step: float, x: float, back: float, palette: Palette, shown: bool
) -> Figure:
    """Number line with levels, staircase and saw-tooth on one axis; ``x`` comes back as ``back``.

    ``levels`` (levels,) ascending, ``step`` apart. Corners are exact. Without ``shown`` what
    comes back is left out.
    """
    made = canvas(palette, "value", "", left=70)
    made["xaxis"] |= {"range": list(VIEW), "anchor": "y3"}
    made["yaxis"] = axis(palette, "levels") | _bare([-1, 1], PANELS[0])
    made["yaxis2"] = axis(palette, "comes back", grid=True) | {"domain": PANELS[1]}
    made["yaxis3"] = axis(palette, "error", grid=True) | {
        "domain": PANELS[2],
        "range": [-step, step],
    }
    made["shapes"] = [
        segment(palette.highlights[0], (v, v), (-0.6, 0.6), yref="y") for v in levels.tolist()
    ]
    treads, returned = _corners(levels, step)
    data = [line(VIEW, VIEW, palette.muted, "dot", "unchanged", yaxis="y2")]
    orange = palette.highlights[1]
    data.append(dots([x], [0], orange, name="value"))
    made["annotations"] = [words(f"x = {number(x, 4)}", orange, x=x, y=0.6, xref="x", yref="y",
                                 yanchor="bottom")]  # fmt: skip
    if not shown:
        made["annotations"].append(words(HIDDEN, palette.muted, x=0.5, y=0.1))
    if shown:
        stairs = line(treads, returned, palette.highlights[0], name="comes back", yaxis="y2")
        data += [stairs, line(treads, returned - treads, palette.ink, name="error", yaxis="y3")]
        data.append(dots([x], [back], orange, yaxis="y2", name="comes back"))
        data.append(dots([x], [back - x], orange, yaxis="y3", name="error"))
        made["shapes"].append(_arrow(x, back, orange))
    return {"data": data, "layout": made}


def _bare(range: list[float], domain: list[float]) -> Figure:
    return {"range": range, "domain": domain, "showticklabels": False}


def _arrow(x: float, back: float, color: str) -> Figure:
    return segment(color, (x, back), (0, 0), yref="y", line={"color": color, "width": 3})


def _corners(levels: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of each tread, left to right; the outer ones reach to the view's ends."""
    jumps = levels[:-1] + step / 2
    left = np.concatenate([[min(VIEW[0], levels[0])], jumps])
    right = np.concatenate([jumps, [max(VIEW[1], levels[-1])]])
    return np.ravel([left, right], "F"), np.repeat(levels, 2)


def error_box(errors: np.ndarray, palette: Palette) -> Figure:
    """Histogram of errors in steps: flat between minus and plus a half."""
    edges = np.linspace(-0.75, 0.75, 61)
    made = canvas(palette, "error, in steps", "how many")
    made["yaxis"] |= {"showticklabels": False, "rangemode": "tozero"}
    counts = np.histogram(errors, edges)[0]
    made["annotations"] = [
        words("rmse = step / √12 = 0.2887 steps", palette.muted, x=0.5, y=1, yanchor="bottom")
    ]
    return {"data": [area(edges, counts, palette.edge, palette.fill)], "layout": made}


def sqnr_line(
    bits: np.ndarray, sqnr: np.ndarray, here: int, palette: Palette, shown: bool
) -> Figure:
    """SQNR in dB against bits; without ``shown`` only the present dot."""
    made = canvas(palette, "bits", "SQNR, dB")
    made["xaxis"] |= {"range": [1.5, 8.5], "dtick": 1}
    made["yaxis"] |= {"range": [0, 62]}
    blue, at = palette.highlights[0], int(np.flatnonzero(bits == here)[0])
    x, y = [float(here)], [float(sqnr[at])]
    side = {"xref": "x", "yref": "y", "xshift": -10, "xanchor": "right"}
    made["annotations"] = [words(f"{y[0]:.1f} dB", blue, x=x[0], y=y[0], **side)]
    data = [dots(x, y, blue, name="SQNR")]
    if shown:
        data.insert(0, line(bits, sqnr, palette.ink, name="SQNR"))
    else:
        made["annotations"].append(words(HIDDEN, palette.muted, x=0.5, y=0.25))
    return {"data": data, "layout": made}
