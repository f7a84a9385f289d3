"""The findings as cards, worst first; one of them is shown beside."""

from __future__ import annotations

import streamlit as st

from qviz.doctor import Examined, Finding
from qviz.figures.doctor_words import CHECK, FAULT, badge, repair_line
from qviz.ui.notices import plain
from qviz.ui.words import term

SHOWN = "doctor_shown"
COLORS = {FAULT: "red", CHECK: "orange"}


def shown(found: Examined) -> Finding:
    """The finding that was asked for, by its rule; the worst one unless it is there."""
    asked = st.session_state.get(SHOWN) or st.query_params.get(SHOWN)
    chosen = next((f for f in found.findings if f.rule == asked), found.findings[0])
    if chosen is found.findings[0]:
        st.query_params.pop(SHOWN, None)
    elif st.query_params.get(SHOWN) != chosen.rule:
        st.query_params[SHOWN] = chosen.rule
    return chosen


def cards(found: Examined, chosen: Finding) -> None:
    """One bordered card each."""
    for finding in found.findings:
        with st.container(border=True, gap="xxsmall"):
            word = badge(finding)
            st.markdown(
                f":{COLORS.get(word, 'gray')}-badge[{word}] **{finding.rule}**  \n"
                + plain(finding.message)
            )
            st.caption(plain(repair_line(finding)))
            here = finding is chosen
            st.button(
                "Shown" if here else "Show", key=f"doctor_show-{finding.rule}", disabled=here,
                icon=":material/visibility:", type="tertiary", help=term("doctor_show"),
                on_click=_show, args=(finding.rule,),
            )  # fmt: skip


def _show(rule: str) -> None:
    st.session_state[SHOWN] = rule
