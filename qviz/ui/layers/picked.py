"""A click on a tensor of the model chooses it for every page, under the scheme of its role."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from qviz.models.facts import axis_of, graph_of
from qviz.models.scheme import OWN, Scheme, Schemes
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import Target
from qviz.sources.base import TensorSource
from qviz.ui.choice import chosen_target
from qviz.ui.files import opened, tensor_id
from qviz.ui.layers.subject import Subject
from qviz.ui.navigation import ROOT
from qviz.ui.notices import plain, table_text
from qviz.ui.setting import set_observer, set_target

Named = Callable[[str], None]
CELLS = "single-cell"  # a click anywhere in a row
RULE, LAST = "layers_highlight", "layers_picked"  # what the last click brought
HINT = "Click a row to choose its tensor for every page, quantized as here."
PAGES = (
    ("pages/6_Channels.py", "Which channels?", ":material/view_week:"),
    ("pages/1_Observers.py", "Which range?", ":material/straighten:"),
    ("pages/8_Doctor.py", "Why?", ":material/stethoscope:"),
)


def picker(found: Subject, schemes: Schemes) -> Named:
    """A callback that takes the name of a tensor that was clicked."""
    return partial(_pick, found, schemes)


def _pick(found: Subject, schemes: Schemes, name: str) -> None:
    infos = found.source.infos
    if name not in infos or found.name not in opened():
        return  # not every value that is quantized has an entry of its own
    info, state = infos[name], st.session_state
    scheme = schemes.of(info.role)
    state["tensor"] = tensor_id(found.name, name, len(infos))
    set_target(info, _target(found.source, scheme, name))
    state[LAST] = state["tensor"], scheme, chosen_target(info)
    _highlight(OBSERVERS.spell(scheme.observer))


def _highlight(spelling: str) -> None:
    """Make the scheme's rule the first highlight, in place of that of an earlier click."""
    state, before = st.session_state, st.session_state.get(RULE)
    state["show"] = [one for one in state.get("show", []) if one != before]
    state[RULE] = set_observer(spelling)


def _target(source: TensorSource, scheme: Scheme, name: str) -> Target:
    own = scheme.granularity == OWN
    return scheme.target(axis_of(source, name, graph_of(source)) if own else None)


def table_key(start: str, names: Sequence[str]) -> str:
    """Key of a table of these names: with others it is another table, and nothing is selected."""
    return f"{start}-{hash(tuple(names))}"


def rows_picker(key: str, names: Sequence[str], named: Named) -> Callable[[], None]:
    """A callback of the table ``key``: a row, or a cell in it, stands for its name."""

    def picked() -> None:
        selection = st.session_state[key].selection
        at: list[int] = [*selection.rows, *(row for row, _ in selection.cells)]
        if at:
            named(names[at[0]])

    return picked


def chosen_name(found: Subject) -> str | None:
    """Name of the tensor that is chosen, where it is one of these."""
    infos, id = found.source.infos, st.session_state.get("tensor")
    if found.name not in opened():
        return None
    return next((n for n in infos if tensor_id(found.name, n, len(infos)) == id), None)


def chosen(found: Subject, schemes: Schemes) -> None:
    """Where the tensor that was clicked can be looked at; before that, that it can be clicked."""
    name = chosen_name(found)
    if name is None:
        st.caption(HINT)
        return
    info = found.source.infos[name]
    now = st.session_state["tensor"], schemes.of(info.role), chosen_target(info)
    alike = st.session_state.get(LAST) == now
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{plain(table_text(name))}** is the tensor on every page now"
            f"{', quantized as here' if alike else ''}:",
            width="content",
        )
        for path, label, icon in PAGES:
            if (ROOT / path).exists():
                st.page_link(path, label=label, icon=icon)
