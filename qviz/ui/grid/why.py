"""Second view: why one element comes back as it does."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qviz.figures.numbers import integer
from qviz.figures.why_bits import bit_tiles, part_words
from qviz.figures.why_line import number_line
from qviz.figures.why_ulps import boundary_distance
from qviz.figures.why_words import why_caption, why_heading
from qviz.pipeline import Settled
from qviz.pipeline.element import Element, Why, explain
from qviz.pipeline.element_find import MOST, Found, largest_error, nearest, next_tie
from qviz.pipeline.element_where import Place
from qviz.quantizers.base import Quantizer
from qviz.ui.choice import Choice
from qviz.ui.grid.asked import unheeded
from qviz.ui.grid.rules import rules_table
from qviz.ui.grid.subject import Subject, whole
from qviz.ui.notices import palette, plain, plot
from qviz.ui.words import term

INDEX, VALUE, SAID, OF = "grid_index", "grid_value", "grid_search", "grid_index_of"


def entry(choice: Choice) -> Any:
    """The row with the index, from 0 again for another tensor; gives it, to hold more."""
    state, tensor = st.session_state, choice.item.info.fingerprint
    if state.get(OF, tensor) != tensor:
        state[INDEX] = 0
    state[OF] = tensor
    last = max(choice.item.info.size - 1, 0)
    given = st.query_params.get(INDEX, "")
    if given.isdecimal() and int(given) > last:  # the widget starts from 0 then
        state[SAID] = f"There is no element {integer(int(given))}: use 0 to {integer(last)}."
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        st.number_input(
            "Element", 0, last, step=1, key=INDEX, bind="query-params", persist_state="session",
            width=140, help=term(INDEX),
        )  # fmt: skip
    return row


def group(choice: Choice) -> int:
    """The group of the element asked about. Raises QvizError where there is no such element."""
    return whole(choice).place(index()).group


def index() -> int:
    """The element asked about."""
    return int(st.session_state.get(INDEX) or 0)


def draw(shown: Subject, settled: Settled, head: Any, row: Any) -> None:
    """Entry, verdict, bits, number line, distances, rules."""
    with row:
        _ways_in(shown, settled.quantizer)
    said = st.session_state.pop(SAID, None)
    if said:
        st.info(plain(said), icon=":material/search:")
    element = Element.of(shown.whole.value(index()), index())
    made = None if settled.range is not None else settled.quantizer
    why = explain(element, settled.range or settled.covered, shown.choice.target, made)
    head.markdown(f"### {plain(why_heading(why))}")
    head.caption(plain(f"{shown.choice.item.label}{unheeded(shown)}. {why_caption(why)}"))
    with st.container(key="wide-grid-bits"):
        bits = f"Bits as {why.bits.kind}: {', '.join(part_words(why.bits))}"
        plot(bit_tiles(why.bits, palette()), "grid-bits", bits)
    _pictures(why)
    rules_table(why)


def _pictures(why: Why) -> None:
    left, right = st.columns([11, 9])
    with left:
        line = number_line(why, palette())
        if line is None:
            st.info("A value that is not a number, or infinite, stands on no number line.")
        else:
            plot(line, "grid-line", "The element between the levels around it")
    with right:
        if why.ways:
            alt = "Distance to the decision boundary, one row per way of dividing"
            plot(boundary_distance(why.ways, palette()), "grid-ulps", alt)
        else:
            st.info(plain(f"No distance in ulps: {why.no_ways}."), icon=":material/straighten:")


def _ways_in(shown: Subject, quantizer: Quantizer) -> None:
    st.number_input(
        "or nearest to", value=None, format="%g", key=VALUE, width=140, help=term(VALUE),
        on_change=_by_value, args=(shown,), placeholder="a value",
    )  # fmt: skip
    st.button("Next tie", on_click=_next_tie, args=(shown, quantizer), key="grid-next-tie")
    st.button("Largest error", on_click=_worst, args=(shown, quantizer), key="grid-worst")


def pick(shown: Subject, value: float) -> None:
    """Go to the element nearest to a value."""
    _go(shown, nearest(shown.rows, value), "No element is a number")


def _by_value(shown: Subject) -> None:
    value = st.session_state.get(VALUE)
    if value is not None:
        pick(shown, float(value))


def _next_tie(shown: Subject, quantizer: Quantizer) -> None:
    at = shown.whole.place(index()).at
    _go(shown, next_tie(shown.rows, quantizer, at), "No way of dividing makes a tie")


def _worst(shown: Subject, quantizer: Quantizer) -> None:
    _go(shown, largest_error(shown.rows, quantizer), "No element has an error")


def _go(shown: Subject, found: Found, otherwise: str) -> None:
    if found.at is None:
        most = "the first " if found.looked >= MOST else ""
        st.session_state[SAID] = f"{otherwise} among {most}{integer(found.looked)} elements."
        return
    st.session_state[INDEX] = shown.whole.index(Place(shown.group, found.at))
