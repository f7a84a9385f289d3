"""Body of the Rosetta page: the range, two rules, and five views of them."""

from __future__ import annotations

import streamlit as st

from qviz.errors import QvizError
from qviz.ui.choice import Choice
from qviz.ui.notices import notices, plain
from qviz.ui.rosetta import asked, conventions, documented, fragility, picture, typed, which
from qviz.ui.words import term

VIEWS = {
    "picture": ("Picture", picture.view),
    "conventions": ("Conventions", conventions.view),
    "fragility": ("Fragility", fragility.view),
    "which": ("Which rule?", which.view),
    "documented": ("Documentation", documented.view),
}


@st.fragment
def body(choice: Choice) -> None:
    """Heading, the switch of views, the rules, and the view."""
    head = st.container()
    notices(choice)
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = st.segmented_control(
            "View", list(VIEWS), default="picture", format_func=lambda v: VIEWS[v][0],
            key="rosetta_view", help=term("rosetta_view"), bind="query-params", required=True,
            label_visibility="collapsed", wrap=True,
        )  # fmt: skip
        by = asked.source()
        with st.popover("Rules", icon=":material/tune:"):
            asked.kinds()
    typed.boxes(by)
    try:
        subject = asked.subject(choice)
        finding, caption = VIEWS[shown][1](subject)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")
        return
    head.markdown(f"### {plain(finding)}")
    head.caption(plain(f"{caption} {subject.note}".strip()))
