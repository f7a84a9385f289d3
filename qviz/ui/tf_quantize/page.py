"""Body of the page: views, controls, and the one place where errors become words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.ui.choice import Choice
from qviz.ui.notices import notices, plain
from qviz.ui.tf_quantize import concat, drift, ranges, round_trip
from qviz.ui.tf_quantize.asked import range_controls, try_ranges
from qviz.ui.tf_quantize.decode import decode
from qviz.ui.tf_quantize.settings import looked_at, more_controls, setting_controls
from qviz.ui.words import term

VIEWS = ("Ranges", "Drift", "Round trip", "Concat")
FORMULAS = ("Ranges", "Drift")
EXAMPLES = ((-0.5, 2.5), (-1.0, 1.0), (0.07, 0.13))
VALUES = {0.07: "0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13"}  # with which a range says most


@st.fragment
def body(choice: Choice) -> None:
    """Heading, view, controls, picture."""
    head = st.container()
    notices(choice)
    left, right = st.columns([1, 1], vertical_alignment="bottom")
    with left.container(horizontal=True, vertical_alignment="bottom"):
        view = st.segmented_control(
            "View", VIEWS, default="Ranges", key="tf_view", bind="query-params", required=True,
            help=term("tf_view"), label_visibility="collapsed",
        )  # fmt: skip
        more_controls(formulas=view in FORMULAS, values=view != "Concat")
    ends = right.container(horizontal=True)
    try:
        _view(str(view), choice, head, ends)
    except QvizError as error:
        head.markdown("### Nothing to show for these attributes")
        st.error(plain(str(error)), icon=":material/block:")


def _view(view: str, choice: Choice, head: Any, ends: Any) -> None:
    if view == "Concat":
        concat.draw(choice, head)
        return
    if view == "Round trip":
        round_trip.draw(choice, head, ends)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        setting = setting_controls(choice)
        subject = looked_at(choice)
    with ends:
        given = range_controls(subject)
    asked = given.on(subject)
    if not subject.finite and None in (given.lo, given.hi):
        what = f"{subject.words} has no finite value to take a range from."
        raise QvizError(what, "", "Type min_range and max_range, or choose another tensor.")
    documented = bool(st.session_state.get("tf_doc"))
    draws: dict[str, Callable[..., None]] = {"Ranges": ranges.draw, "Drift": drift.draw}
    draws[view](subject, asked, setting, head, documented=documented)
    if view == "Ranges":
        decode(asked, setting)
        try_ranges(EXAMPLES, "Ranges to try:", VALUES)
