"""The findings as cards, worst first; one of them is shown beside.

On a phone the shown card stands directly above its picture, the others are buttons above it.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    at = found.findings.index(chosen)
    before, after = found.findings[:at], found.findings[at + 1 :]
    _compact([*before, *after])
    _several("before", before)
    _card(chosen, here=True)
    _several("after", after)


def _compact(others: Sequence[Finding]) -> None:
    if not others:
        return
    with st.container(key="narrow-doctor-others", horizontal=True, gap="xsmall"):
        for finding in others:
            st.button(
                f"{_badge(finding)} {finding.rule}", key=f"doctor_pick-{finding.rule}",
                help=term("doctor_show"), on_click=_show, args=(finding.rule,),
            )  # fmt: skip


def _several(where: str, findings: Sequence[Finding]) -> None:
    if findings:
        with st.container(key=f"wide-doctor-{where}"):
            for finding in findings:
                _card(finding, here=False)


def _card(finding: Finding, *, here: bool) -> None:
    with st.container(border=True, gap="xxsmall"):
        st.markdown(f"{_badge(finding)} **{finding.rule}**  \n" + plain(finding.message))
        st.caption(plain(repair_line(finding)))
        st.button(
            "Shown" if here else "Show", key=f"doctor_show-{finding.rule}", disabled=here,
            icon=":material/visibility:", type="tertiary", help=term("doctor_show"),
            on_click=_show, args=(finding.rule,),
        )  # fmt: skip


def _badge(finding: Finding) -> str:
    word = badge(finding)
    return f":{COLORS.get(word, 'gray')}-badge[{word}]"


def _show(rule: str) -> None:
    st.session_state[SHOWN] = rule
