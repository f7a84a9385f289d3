"""The hill: SQNR over the clip, one row per observer, and the parts of the error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.landscape_marks import Dot, Frame, grey_first, log_ticks_of
from qviz.figures.landscape_names import hill_words
from qviz.figures.landscape_traces import (
    PREFIX,
    curves,
    faded,
    on_hill,
    parts,
    place,
    rows,
    you_mark,
)
from qviz.figures.rows import name_margin, row_axis
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment, words
from qviz.pipeline.landscape_views import BOTH, LOWER, Hill, raised

SUMMIT, SHARE, ROW = 236, 66, 17  # pixels of the panels, and of a row
GAPS = (26, 30)  # pixels below the first panel, below the rows
RIGHT, TOP, BOTTOM = 52, 22, 46
WIDTH = 1008  # pixels that the page has
ROOF = 1.3  # of the top: where the limits are cut
ALONG = {BOTH: "values kept", LOWER: "lower bound kept", "upper": "upper bound kept"}


@dataclass(frozen=True)
class Stack:
    """Where the three panels lie, in paper coordinates."""

    rows: int

    @property
    def pixels(self) -> int:
        """Height of all, gaps included."""
        return SUMMIT + SHARE + sum(GAPS) + ROW * max(self.rows, 1)

    @property
    def summit(self) -> tuple[float, float]:
        """Of the hill."""
        return 1 - SUMMIT / self.pixels, 1.0

    @property
    def middle(self) -> tuple[float, float]:
        """Of the rows."""
        low = (SHARE + GAPS[1]) / self.pixels
        return low, low + ROW * max(self.rows, 1) / self.pixels

    @property
    def share(self) -> tuple[float, float]:
        """Of the parts."""
        return 0.0, SHARE / self.pixels


def hill_picture(
    hill: Hill,
    dots: Sequence[Dot],
    highlights: Sequence[str],
    palette: Palette,
    *,
    best: Dot | None = None,
    you: Dot | None = None,
) -> Figure:
    """Three panels on one log axis of clips: a hill under two roofs, rows, parts of the error.

    ``dots`` come best first. The up to four ``highlights`` (spellings) have their colour and
    their name on the hill. A blue line marks ``best``, a dotted one ``you``.
    """
    bars = [dot.bar for dot in dots]
    stack, margins = Stack(len(dots)), Margins(name_margin(bars), RIGHT, TOP, BOTTOM)
    view = math.log10(hill.clip[0]), math.log10(hill.clip[-1])
    height = _heights(hill)
    shown = grey_first(dots, highlights)
    top = best.bar.value if best is not None else None
    figure = layout(palette, stack.pixels + TOP + BOTTOM, margins, "{:g} {:g}".format(*view))
    figure |= {
        "xaxis": _clips(hill, view, palette),
        "xaxis2": {"overlaying": "x", "range": [0, 1], "visible": False, "fixedrange": True},
        "yaxis": axis(palette, "SQNR, dB", grid=True)
        | {"range": [*height], "domain": [*stack.summit], "fixedrange": True},
        "yaxis2": row_axis(bars, highlights, palette) | {"domain": [*stack.middle]},
        "yaxis3": _part_axis(palette) | {"domain": [*stack.share]},
    }
    frame = Frame(WIDTH - margins.left - RIGHT, SUMMIT, view, height)
    figure["annotations"] += hill_words(hill, shown, highlights, frame, palette)
    figure["annotations"].append(_column_head(dots, stack, palette))
    data = [*curves(hill, height, palette), *on_hill(hill, shown, highlights, palette, top)]
    data += [*rows(hill, dots, highlights, palette, top), *parts(hill, palette)]
    figure["shapes"] += _ground(palette)
    figure["annotations"] += _part_words(palette)
    if best is not None:
        figure["shapes"].append(_through(hill, best, palette.mark(0), "solid"))
    if you is not None and you.served:
        figure["shapes"].append(_through(hill, you, palette.ink, "dot"))
        data.append(you_mark(hill, you, palette, top))
    return {"data": data, "layout": figure}


def _heights(hill: Hill) -> tuple[float, float]:
    """The hill's axis in dB: from 0, or lower where the hill is, to the roofs."""
    height = raised(hill.parts.sqnr)
    return min(0.0, float(height.min())), ROOF * max(float(height.max()), 1.0)


def _clips(hill: Hill, view: tuple[float, float], palette: Palette) -> Figure:
    ticks = log_ticks_of(view, PREFIX.get(hill.side, ""))
    title = f"{ALONG[hill.side]} (log); everything outside is clipped"
    span = {"type": "log", "range": [*view], "anchor": "y3", "fixedrange": True}
    return axis(palette, title, grid=True) | span | ticks


def _part_axis(palette: Palette) -> Figure:
    ticks = {"tickvals": [0, 1], "ticktext": ["0", "100 %"]}
    return axis(palette, "of error") | ticks | {"range": [0, 1], "fixedrange": True}


def _column_head(dots: Sequence[Dot], stack: Stack, palette: Palette) -> Figure:
    about = [dot.bar.approximate for dot in dots if dot.served]
    text = "dB ≈" if about and all(about) else "dB"
    side = {"xanchor": "left", "yanchor": "bottom", "xshift": 8}
    return words(text, palette.muted, x=1.0, y=stack.middle[1], **side)


def _ground(palette: Palette) -> list[Figure]:
    """What is not clipping is rounding: the ground of the lowest panel."""
    rect = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "yref": "y3", "y0": 0, "y1": 1}
    look = {"fillcolor": faded(palette.edge, 0.22), "line": {"width": 0}, "layer": "below"}
    return [rect | look]


def _part_words(palette: Palette) -> list[Figure]:
    middle = {"yref": "y3", "y": 0.5}
    left, right = {"xanchor": "left", "xshift": 10}, {"xanchor": "right", "xshift": -10}
    return [
        words("<b>clipping</b>", palette.band_words, x=0.0, **middle, **left),
        words("<b>rounding</b>", palette.ink, x=1.0, **middle, **right),
    ]


def _through(hill: Hill, dot: Dot, color: str, dash: str) -> Figure:
    """A thin line through all panels at a row's clip."""
    x = place(hill, dot)
    return segment(color, (x, x), (0.0, 1.0), opacity=0.7) | {
        "line": {"color": color, "width": 1.2, "dash": dash}
    }
