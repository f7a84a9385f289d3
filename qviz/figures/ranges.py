"""One tensor, all observers: the histogram, and below it the range that each one keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.bars import Bar, bars, heading
from qviz.figures.bins import Bins
from qviz.figures.histogram import count_axis, steps
from qviz.figures.rows import SEEN, name_margin, rank_of, row_axis, row_traces
from qviz.figures.theme import (
    DASHES,
    Figure,
    Margins,
    Palette,
    axis,
    escape,
    layout,
    segment,
    words,
)
from qviz.stats.minmax import MinMaxState

__all__ = ["Bar", "bars", "observer_ranges"]

HISTOGRAM, GAP, ROW = 250, 40, 19  # pixels
RIGHT, TOP, BOTTOM = 58, 26, 46
LOPSIDED = 0.1  # of the larger extreme: how far from mirrored extremes zero deserves a line
MANY_ZEROS = 0.01  # share of the elements


@dataclass(frozen=True)
class Panels:
    """Where the two panels lie, in paper coordinates."""

    rows: int

    @property
    def pixels(self) -> int:
        """Height of both and of the gap between them."""
        return HISTOGRAM + GAP + ROW * max(self.rows, 1)

    @property
    def upper(self) -> tuple[float, float]:
        """Of the histogram."""
        return 1 - HISTOGRAM / self.pixels, 1.0

    @property
    def lower(self) -> tuple[float, float]:
        """Of the rows."""
        return 0.0, ROW * max(self.rows, 1) / self.pixels

    def centre(self, row: int) -> float:
        """Height of a row's middle."""
        return self.lower[1] * (1 - (row + 0.5) / max(self.rows, 1))


def observer_ranges(
    bins: Bins,
    rows: Sequence[Bar],
    highlights: Sequence[str],
    palette: Palette,
    *,
    metric: str = "sqnr",
    facts: MinMaxState | None = None,
) -> Figure:
    """Histogram over one row per observer on a shared x axis.

    ``rows`` come best first (``bars``). The up to four ``highlights`` (spellings) have their
    colour, dash and clip lines; what the first one clips is shaded. A bound outside the view
    ends in an arrow head. Lines and ends carry the spelling as customdata.
    """
    panels = Panels(len(rows))
    figure = _frame(bins, rows, highlights, palette)
    figure["annotations"].append(_column_head(rows, metric, palette, panels))
    if facts is not None and _zero_matters(bins, facts):
        figure["shapes"] += [
            segment(palette.muted, (0.0, 0.0), part, opacity=0.45, layer=layer)
            for part, layer in ((panels.lower, "between"), (panels.upper, "above"))
        ]
    for at, row in enumerate(rows):
        rank = rank_of(row, highlights)
        if rank is None or row.refused is not None:
            continue
        figure["shapes"] += _clip_lines(row, rank, panels, panels.centre(at), bins, palette)
        if rank == 0:
            figure["shapes"] += _grid(row, at, bins, palette)
            if facts is None or len(facts.n) == 1:  # several ranges clip in different places
                figure["shapes"] += _shading(row, bins, palette)
                figure["annotations"] += _clipped_by(row, bins, palette)
    return {
        "data": [steps(bins, palette), *row_traces(rows, highlights, bins, palette)],
        "layout": figure,
    }


def _frame(bins: Bins, rows: Sequence[Bar], highlights: Sequence[str], palette: Palette) -> Figure:
    panels = Panels(len(rows))
    margins = Margins(name_margin(rows), RIGHT, TOP, BOTTOM)
    view = [*bins.view]
    title = f"tensor value, {escape(bins.unit)}" if bins.unit else "tensor value"
    shared = {"range": view, "anchor": "y2"}
    words_axis = {"overlaying": "x", "anchor": "y2", "range": [0, 1]}
    return layout(palette, panels.pixels + TOP + BOTTOM, margins, "{:g} {:g}".format(*view)) | {
        "xaxis": axis(palette, title, grid=True) | shared,
        "xaxis2": words_axis | {"visible": False, "fixedrange": True},
        "yaxis": count_axis(bins, palette) | {"domain": [*panels.upper]},
        "yaxis2": row_axis(rows, highlights, palette) | {"domain": [*panels.lower]},
        "barmode": "overlay",
    }


def _column_head(rows: Sequence[Bar], metric: str, palette: Palette, panels: Panels) -> Figure:
    served = [row.approximate for row in rows if row.refused is None]
    text = heading(metric) + (" ≈" if served and all(served) else "")
    place = {"xanchor": "right", "yanchor": "bottom", "xshift": RIGHT - 4}
    return words(text, palette.muted, x=1.0, y=panels.lower[1], **place)


def _zero_matters(bins: Bins, facts: MinMaxState) -> bool:
    """Whether a line at zero says something: extremes that are not mirrored, or many zeros."""
    start, end = bins.view
    lo, hi = float(facts.lo.min()), float(facts.hi.max())
    lopsided = abs(lo + hi) > LOPSIDED * max(abs(lo), abs(hi))
    zeros = facts.zero.sum() > MANY_ZEROS * max(facts.n.sum(), 1)
    return start < 0 < end and bool(lopsided or zeros)


def _clip_lines(
    row: Bar, rank: int, panels: Panels, centre: float, bins: Bins, palette: Palette
) -> list[Figure]:
    """The bounds inside the view: strong through the histogram, thin down to the row."""
    start, end = bins.view
    color, dash = palette.mark(rank), DASHES[rank]
    strong = {"line": {"color": color, "width": 2, "dash": dash}}
    thin = {"line": {"color": color, "width": 1, "dash": dash}, "opacity": 0.5}
    return [
        segment(color, (bound, bound), reach, **look)
        for bound in (row.lo, row.hi)
        if start <= bound <= end
        for reach, look in ((panels.upper, strong), ((centre, panels.upper[0]), thin))
    ]


def _shading(row: Bar, bins: Bins, palette: Palette) -> list[Figure]:
    """What lies outside the grid, behind the histogram."""
    start, end = bins.view
    sides = (start, min(row.covered_lo, end)), (max(row.covered_hi, start), end)
    rect = {"type": "rect", "yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
    look = {"fillcolor": palette.band, "line": {"width": 0}}
    return [rect | look | {"x0": x0, "x1": x1} for x0, x1 in sides if x0 < x1]


def _clipped_by(row: Bar, bins: Bins, palette: Palette) -> list[Figure]:
    """Words over the wider shaded side, above the panel, where no line crosses them."""
    start, end = bins.view
    left, right = row.covered_lo - start, end - row.covered_hi
    if max(left, right) <= 0:
        return []
    text, place = f"clipped by {escape(row.title)}", {"yanchor": "bottom"}
    if left >= right:
        return [words(text, palette.band_words, x=0.0, y=1.0, xanchor="left", **place)]
    return [words(text, palette.band_words, x=1.0, y=1.0, xanchor="right", **place)]


def _grid(row: Bar, at: int, bins: Bins, palette: Palette) -> list[Figure]:
    """Brackets where the grid ends, if the eye can tell them from the bounds asked for."""
    start, end = bins.view
    least = SEEN * (end - start)
    moved = max(abs(row.covered_lo - row.lo), abs(row.covered_hi - row.hi))
    if moved < least:
        return []
    sides = (row.covered_lo, 1), (row.covered_hi, -1)
    return [_bracket(x, toward * least, at, palette) for x, toward in sides if start <= x <= end]


def _bracket(x: float, foot: float, at: int, palette: Palette) -> Figure:
    path = f"M{x + foot},{at - 0.42}L{x},{at - 0.42}L{x},{at + 0.42}L{x + foot},{at + 0.42}"
    line = {"color": palette.mark(0), "width": 1.5}
    return {"type": "path", "path": path, "yref": "y2", "layer": "above", "line": line}
