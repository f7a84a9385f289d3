"""Body of the Fake quant page: three views of the modes at work."""

from __future__ import annotations

import streamlit as st

from qviz.errors import QvizError
from qviz.ui.choice import Choice
from qviz.ui.fake_quant import batches, fitting, gradient
from qviz.ui.notices import notices, plain
from qviz.ui.words import term

VIEWS = {
    "gradient": ("Forward and gradient", gradient.view),
    "batches": ("Batches", batches.view),
    "learned": ("Learned scale", fitting.view),
}


@st.fragment
def body(choice: Choice) -> None:
    """Heading, the switch of views, and the view."""
    head = st.container()
    notices(choice)
    shown = st.segmented_control(
        "View", list(VIEWS), default="gradient", format_func=lambda v: VIEWS[v][0],
        key="fake_quant_view", help=term("fake_quant_view"), bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    try:
        finding, caption = VIEWS[shown][1](choice)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")
        return
    head.markdown(f"### {plain(finding)}")
    head.caption(plain(caption))
