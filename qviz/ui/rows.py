"""Which observers stand in the list, and which of them are highlighted."""

from __future__ import annotations

import streamlit as st

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.selection import default_observers, select
from qviz.pipeline import Comparison
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

MOST = 4  # highlights: more hues cannot be told apart
MIDDLE, PLAIN = "percentile", "minmax"  # shown beside the best unless a person chooses


def dialects() -> list[str]:
    """Prefixes of the frameworks that have observers."""
    return sorted({name.split(".")[0] for name in OBSERVERS if OBSERVERS[name] and _framed(name)})


def _framed(name: str) -> bool:
    return OBSERVERS[name].__module__.startswith("qviz.dialects")


def listed(live: str) -> list[Observer]:
    """The neutral presets, the frameworks asked for, this person's variants, the live row."""
    found = {OBSERVERS.spell(o): o for o in default_observers()}
    for key in st.session_state.get("sets") or ():
        found |= {OBSERVERS.spell(o): o for o in select(f"{key}.*")}
    for spelling in (*variants(), live):
        made = OBSERVERS.make(spelling)
        found[OBSERVERS.spell(made)] = made
    return list(found.values())


def variants() -> list[str]:
    """Spellings of added rows: of this session, or on the first run of the address."""
    if "variants" not in st.session_state:
        st.session_state["variants"] = [s for s in st.query_params.get_all("add") if _can_make(s)]
    return st.session_state["variants"]


def _can_make(spelling: str) -> bool:
    try:
        OBSERVERS.make(spelling)
    except QvizError:
        return False
    return True


def _canonical(spelling: str) -> str:
    """The one spelling of a row, however it was written."""
    return OBSERVERS.spell(OBSERVERS.make(spelling))


def highlighted(comparison: Comparison, ranked: list[str]) -> list[str]:
    """The multiselect of highlights; untouched, it follows the results."""
    titles = {row.spelling: row.title for row in comparison.rows}
    if "touched" not in st.session_state or "show" not in st.session_state:
        given = [s for s in st.query_params.get_all("show") if _can_make(s)]
        asked = [s for s in map(_canonical, given) if s in titles][:MOST]
        st.session_state["touched"] = bool(asked)
        st.session_state["show"] = asked
    if not st.session_state["touched"]:
        st.session_state["show"] = default_highlights(ranked)
    st.session_state["show"] = [s for s in st.session_state["show"] if s in titles]
    chosen = st.multiselect(
        "Highlight up to 4 observers", list(titles), format_func=lambda s: str(titles.get(s, s)),
        key="show", max_selections=MOST, on_change=_touch, help=term("highlight"),
        label_visibility="collapsed", placeholder="Highlight up to 4 observers",
        persist_state="session",
    )  # fmt: skip
    _write_address(chosen)
    return chosen


def default_highlights(ranked: list[str]) -> list[str]:
    """The best, a well-known middle one, and MinMax; ``ranked`` is best first."""
    return list(dict.fromkeys([*ranked[:1], *(s for s in (MIDDLE, PLAIN) if s in ranked)]))


def toggle(spelling: str) -> None:
    """Highlight a row that was clicked, or take its highlight off."""
    shown = list(st.session_state.get("show", []))
    shown = [s for s in shown if s != spelling] if spelling in shown else [*shown, spelling]
    st.session_state["show"] = shown[-MOST:]
    _touch()


def _touch() -> None:
    st.session_state["touched"] = True


def _write_address(chosen: list[str]) -> None:
    wanted = {"show": chosen if st.session_state["touched"] else [], "add": variants()}
    for key, values in wanted.items():
        if st.query_params.get_all(key) != values:
            if values:
                st.query_params[key] = values
            else:
                st.query_params.pop(key, None)


def rows_panel() -> str:
    """Popover body: frameworks in the list, a rule and its knobs. Gives that rule's spelling.

    While its knobs are off any listed row, the rule stands in the list as a row of its own and
    follows the sliders; ``Add a variant`` keeps it there.
    """
    found = dialects()
    if found:
        st.pills(
            "Also list the observers of", found, selection_mode="multi", key="sets",
            help=term("sets"), bind="query-params",
        )  # fmt: skip
    name = st.selectbox(
        "Turn the knobs of", list(OBSERVERS), format_func=lambda n: OBSERVERS.entry(n).title,
        key="rule", help=term("variant"), persist_state="session", index=_first_rule(),
    )  # fmt: skip
    made = knob_widgets(OBSERVERS[name](), f"knob-{name}")
    spelling = OBSERVERS.spell(made)
    st.code(spelling, language=None)
    with st.container(horizontal=True):
        st.button(
            "Add a variant", on_click=_add, args=(spelling,), icon=":material/add:",
            disabled=spelling in variants(), help=term("variant"),
        )  # fmt: skip
        if variants():
            st.button("Remove added rows", on_click=_clear, icon=":material/close:")
    return spelling


def _first_rule() -> int:
    return list(OBSERVERS).index(MIDDLE) if MIDDLE in OBSERVERS else 0


def _add(variant: str) -> None:
    st.session_state["variants"] = [*variants(), variant]
    shown = [s for s in st.session_state.get("show", []) if s != variant]
    st.session_state["show"] = [*shown[: MOST - 1], variant]
    _touch()


def _clear() -> None:
    st.session_state["variants"] = []
