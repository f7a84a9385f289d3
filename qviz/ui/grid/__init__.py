"""Body of the Grid page: it shows what quantizing does to a value."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.ui.choice import Choice
from qviz.ui.grid import asked, levels, why
from qviz.ui.grid.subject import Subject, subject, whole
from qviz.ui.notices import notices, plain
from qviz.ui.words import term

SHOWS = {"grid": "Grid", "why": "Why this element?"}
EMPTY = "There is no finite element here, so nothing can be quantized."


@st.fragment
def body(choice: Choice) -> None:
    """Heading, controls, then one of two views."""
    head = st.container()
    notices(choice)
    try:
        _page(choice, head)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")


def _page(choice: Choice, head: Any) -> None:
    row = st.container(horizontal=True, vertical_alignment="bottom")
    clicked = st.session_state.pop("grid_clicked", False)  # then the state has its value already
    with row:
        show = st.segmented_control(
            "View", list(SHOWS), default=None if clicked else "grid", key="grid_show",
            format_func=SHOWS.__getitem__, bind="query-params", persist_state="session",
            required=True, help=term("grid_show"),
        )  # fmt: skip
    st.session_state.setdefault(why.INDEX, 0)  # a click can only then write it to the address
    entry = why.entry(choice) if show == "why" else None
    shown = subject(choice, _group(choice, row) if entry is None else why.group(choice))
    if not shown.facts.finite[0]:
        raise QvizError(EMPTY, "The tensor is empty, or all of it is NaN or infinite.")
    exact = _controls(shown, row)
    settled = asked.settled(shown)
    if entry is not None:
        why.draw(shown, settled, head, entry)
    else:
        levels.draw(shown, settled, head, exact=exact, ask=lambda value: _ask(shown, value))


def _controls(shown: Subject, row: Any) -> bool:
    """What is asked for, in boxes and on a slider. Gives whether every element is counted."""
    asked.renew(shown)
    with row:
        st.segmented_control(
            "Given by", list(asked.BY), default="range", format_func=asked.BY.__getitem__,
            key="grid_by", bind="query-params", required=True, help=term("grid_by"),
        )  # fmt: skip
        asked.boxes(shown)
        with st.popover("Set", icon=":material/tune:", help=term("grid_set")):
            asked.ready_ranges(shown)
            exact = st.toggle("Count every element", key="grid_exact", help=term("exact"))
    refused = st.session_state.pop("grid_refused", None)
    if refused:
        st.warning(plain(refused), icon=":material/block:")
    asked.slider(shown)
    return exact


def _ask(shown: Subject, value: str) -> None:
    """Open the other view at the element nearest to the centre of a clicked bin."""
    why.pick(shown, float(value))
    st.session_state["grid_show"], st.session_state["grid_clicked"] = "why", True


def _group(choice: Choice, row: Any) -> int:
    """Which group is shown, where there are several."""
    groups = whole(choice).groups
    if groups < 2:
        return 0
    with row:
        return st.number_input(
            "Group", 0, groups - 1, key=f"grid-group-{choice.item.info.fingerprint}-{groups}",
            persist_state="session", help=term("grid_group"), width=100,
        )  # fmt: skip
