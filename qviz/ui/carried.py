"""What is chosen in the sidebar goes along from page to page.

Each page has widgets of its own; without this they would start from their defaults.
"""

from __future__ import annotations

import streamlit as st

KEYS = (
    *("tensor", "bits", "signed", "symmetric", "granularity", "axis", "narrow_range"),
    *("reduce_range", "custom", "quant_min", "quant_max", "mode"),
)
KNOBS = "mode-"  # start of the keys of a mode's knobs


def carry(page: str) -> None:
    """Hand the choice on to the widgets of another page; call it before they are made."""
    state = st.session_state
    if state.get("page_shown", page) != page:
        knobs = [key for key in state if str(key).startswith(KNOBS)]
        for key in (*KEYS, *knobs):
            if key in state:
                state[key] = state[key]
    state["page_shown"] = page
