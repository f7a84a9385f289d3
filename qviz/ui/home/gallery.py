"""Samples to start from: a small histogram, a name that opens it, what it teaches."""

from __future__ import annotations

import streamlit as st

from qviz.figures.sparkline import sparkline
from qviz.spec import PER_TENSOR
from qviz.stats.gather import gather
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream
from qviz.ui.choice import Choice
from qviz.ui.library import Item, items
from qviz.ui.notices import palette, plain
from qviz.ui.state import store

SHOWN = (  # the order is a design choice
    "synthetic::student_t",
    "teaching::gaussian",
    "teaching::gelu_tail",
    "teaching::outlier_channel",
    "teaching::mixed_weight_ranges",
    "teaching::narrow_far",
    "teaching::bimodal",
    "teaching::constant",
)
IN_A_ROW = 4


def show(choice: Choice) -> None:
    """Eight cards in two rows of four; on a phone one per row."""
    st.markdown("##### Or start from a sample")
    known = items()
    samples = [known[id] for id in SHOWN if id in known]
    for start in range(0, len(samples), IN_A_ROW):
        columns = st.columns(IN_A_ROW)
        for column, item in zip(columns, samples[start : start + IN_A_ROW], strict=False):
            with column.container(border=True, height="stretch"):
                _card(item, item.id == choice.item.id)


def _card(item: Item, here: bool) -> None:
    st.image(_picture(item), width="stretch")
    st.button(
        item.label, key=f"open-{item.id}", type="tertiary", on_click=_open, args=(item.id,),
        disabled=here,
    )  # fmt: skip
    st.caption(plain(item.info.about))


def _open(id: str) -> None:
    st.session_state["tensor"] = id


def _picture(item: Item) -> str:
    """The sample's small histogram; its counts are kept, so that it is read once."""
    key = (item.info.fingerprint, "sparkline")
    cells = store().get(key)
    if cells is None:
        tile = Stream.of(item.array(), PER_TENSOR).tiles[0]
        cells = gather(tile, (Sketch(16),))[Sketch(16)].cells
        store().put(key, cells)
    return sparkline(cells, palette())
