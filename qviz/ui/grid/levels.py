"""First view: move the range, watch the grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.bins import full, linear_bins
from qviz.figures.grid import GridData, around, bins_in_view, grid_data, quantization_grid, window
from qviz.figures.grid_data import LINES, WINDOW, drawable
from qviz.figures.grid_words import GridFacts, grid_caption, grid_heading
from qviz.figures.numbers import integer, percent
from qviz.metrics.reading import read
from qviz.pipeline import Settled
from qviz.pipeline.resolution import COARSE
from qviz.quantizers.base import Quantizer
from qviz.ui.grid.asked import unheeded, whose
from qviz.ui.grid.cards import cards
from qviz.ui.grid.subject import Subject
from qviz.ui.notices import palette, plain, plot
from qviz.ui.words import term

RANGE, ALL, CLOSE = "range", "all", "close"
VIEWS = {RANGE: "The range", ALL: "All values", CLOSE: "16 steps"}


def draw(
    shown: Subject, settled: Settled, head: Any, *, exact: bool, ask: Callable[[str], None]
) -> None:
    """Numbers first, then the picture; a click on a bin asks about the element at its centre."""
    totals = shown.totals(settled.quantizer, exact=exact)
    found = GridFacts(settled, totals, shown.choice.target, shown.facts)
    heading = grid_heading(found)
    head.markdown(f"### {plain(heading)}")
    about = whose(shown) + unheeded(shown) + shown.shown
    head.caption(plain(grid_caption(found, shown.about, about)))
    cards(found)
    if not np.isfinite(totals.ee).all():
        st.info(f"There is no picture: {read('mse', totals)[0].reason}.", icon=":material/info:")
        return
    left, right = st.columns([3, 2], vertical_alignment="center")
    with right.container(horizontal=True, horizontal_alignment="right"):
        part = _part(settled.quantizer)
    with left:
        data = _data(shown, found, part)
    if data is not None:
        n = float(totals.n[0])
        sides = (float(totals.clipped_low[0]) / n, float(totals.clipped_high[0]) / n)
        plot(quantization_grid(data, palette(), sides), "grid", heading, on_click=ask)


def _part(quantizer: Quantizer) -> str:
    """Which part of the axis is shown."""
    low, high = quantizer.ends
    there = [part for part in VIEWS if part != CLOSE or high - low > WINDOW]
    return st.segmented_control(
        "Picture", there, default=RANGE, format_func=VIEWS.__getitem__, key="grid_part",
        bind="query-params", required=True, help=term("grid_part"), label_visibility="collapsed",
    )  # fmt: skip


def _data(shown: Subject, found: GridFacts, part: str) -> GridData | None:
    """What is drawn; None where there is no such picture, after saying why."""
    cells, quantizer = shown.seen[COARSE].cells, found.settled.quantizer
    if part == ALL:
        lo, hi = full(cells)
    elif part == CLOSE:
        lo, hi = window(quantizer, _first(quantizer))
    else:
        lo, hi = around(found.asked, found.grid)
    counts = None if found.totals.codes is None else found.totals.codes[0]
    try:
        lo, hi = drawable((lo, hi), found.grid if found.asked is None else found.asked)
        bins = linear_bins(cells, lo, hi, bins_in_view(float(cells.total[0])))
        data = grid_data(bins, quantizer, found.asked, counts)
    except QvizError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return None
    _notes(float(cells.total[0]), data)
    return data


def _first(quantizer: Quantizer) -> int:
    """The lowest code of the close view: a slider over all codes, around that of 0 at first."""
    low, high = quantizer.ends
    zero = quantizer.qparams()["zero_point"]
    there = zero is not None and np.isfinite(zero[0])
    middle = int(zero[0]) if zero is not None and there else (low + high) // 2
    first = min(max(middle - WINDOW // 2, low), high - WINDOW)
    return st.slider(
        "Lowest code in the picture", low, high - WINDOW, first, key=f"grid-window-{low}-{high}",
        help=term("grid_window"),
    )  # fmt: skip


def _notes(n: float, data: GridData) -> None:
    """What the picture cannot show: values outside it, and levels too close to tell apart."""
    said, gone = [], n - float(data.bins.counts.sum())
    if gone > 0:
        said.append(f"{percent(gone / n)} of the values lie outside this picture.")
    if data.levels.size > LINES:
        many = f"{integer(data.levels.size)} levels are too close to tell apart"
        said.append(f"{many}: look at 16 steps, or at 2 to 4 bits.")
    if said:
        st.caption(plain(" ".join(said)))
