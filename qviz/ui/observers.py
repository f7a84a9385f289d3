"""Body of the Observers page: it shows which range to keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.bins import body as body_view
from qviz.figures.bins import full as full_view
from qviz.figures.bins import linear_bins
from qviz.figures.findings import finding
from qviz.figures.ranges import bars, observer_ranges
from qviz.metrics.reading import LOSSLESS
from qviz.pipeline import Comparison
from qviz.spec import PER_TENSOR
from qviz.stats.sketch import Sketch
from qviz.ui import landscape, panels, rows
from qviz.ui.choice import Choice
from qviz.ui.notices import notices, palette, plain, plot
from qviz.ui.remarks import remarks
from qviz.ui.state import compared, gathered
from qviz.ui.words import term

PICTURES = {"ranges": "Ranges", "landscape": "Landscape"}
VIEWS = {"full": "Full range", "body": "Body"}
SLOW = 4_000_000  # elements from which a first read shows its progress


@st.fragment
def body(choice: Choice) -> None:
    """Heading, controls, picture, table; all from one comparison."""
    head = st.container()
    notices(choice)
    left, middle, right = st.columns([2, 4, 3], vertical_alignment="center")
    with left:
        seen_as = _switch("Picture", "observers_view", PICTURES)
    chips = middle.container()
    with right.container(horizontal=True, horizontal_alignment="right"):
        view = _switch("View", "view", VIEWS) if seen_as == "ranges" else ""
        with st.popover("Rows", icon=":material/playlist_add:", help=term("variant")):
            live = rows.rows_panel()
            exact = st.toggle("Count every element", key="exact", help=term("exact"))
    choice = replace(choice, upto=panels.upto_slider(choice))
    if seen_as == "landscape":
        choice = landscape.whole(choice)
    try:
        comparison = _compare(choice, live, exact)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")
        return
    if seen_as == "landscape":
        landscape.draw(choice, comparison, head, chips, exact)
    else:
        _draw(choice, comparison, head, chips, view)


def _switch(label: str, key: str, names: dict[str, str]) -> str:
    """One of a few views, kept in the address; the first unless chosen."""
    return st.segmented_control(
        label, list(names), default=next(iter(names)), format_func=names.__getitem__, key=key,
        help=term(key), bind="query-params", required=True, label_visibility="collapsed",
    )  # fmt: skip


def _compare(choice: Choice, live: str, exact: bool) -> Comparison:
    observers = rows.listed(live)
    if choice.item.info.size < SLOW:
        return compared(choice, observers, exact=exact)
    bar = st.progress(0.0, "Reading the tensor")

    def told(read: int, total: int) -> None:  # also where an outdated run is dropped
        bar.progress(min(read / max(total, 1), 1.0), "Reading the tensor")

    done = compared(choice, observers, exact=exact, progress=told)
    bar.empty()
    return done


def _draw(choice: Choice, comparison: Comparison, head: Any, chips: Any, view: str) -> None:
    found = finding(comparison, choice.about)
    head.markdown(f"### {plain(found.heading)}")
    head.caption(plain(found.caption))
    remarks(choice, comparison)
    shown = bars(comparison.rows)
    ranked = [b.spelling for b in shown if b.value is not None or b.text == LOSSLESS]
    with chips:
        highlights = rows.highlighted(comparison, ranked)
    figure = _picture(choice, comparison, highlights, view)
    if figure is not None:
        plot(figure, "ranges", found.heading, on_click=rows.toggle)
    by_name = {row.spelling: row for row in comparison.rows}
    panels.below(choice, comparison, [by_name[bar.spelling] for bar in shown], highlights)


def _picture(
    choice: Choice, comparison: Comparison, highlights: list[str], view: str
) -> dict[str, Any] | None:
    """Histogram and rows on one axis, of all groups together; None without finite elements."""
    whole = replace(choice, target=replace(choice.target, granularity=PER_TENSOR))
    cells = gathered(whole, (Sketch(16),))[Sketch(16)].cells
    if not cells.total.any():
        return None
    lo, hi = (body_view if view == "body" else full_view)(cells)
    count = int(np.clip(2 * np.sqrt(cells.total.sum()), 64, 400))  # few values, wide bins
    bins, shown = linear_bins(cells, lo, hi, count), bars(comparison.rows)
    return observer_ranges(bins, shown, highlights, palette(), facts=comparison.facts)
