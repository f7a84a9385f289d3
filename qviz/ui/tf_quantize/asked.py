"""The range that is asked for: two boxes, and buttons that fill them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from qviz.figures.numbers import number
from qviz.ui.tf_quantize.subject import Subject
from qviz.ui.words import term


@dataclass(frozen=True)
class Asked:
    """The range as typed; what is empty comes from the data."""

    lo: float | None
    hi: float | None

    def on(self, subject: Subject) -> tuple[float, float]:
        """Both ends."""
        lo, hi = subject.extremes
        return lo if self.lo is None else self.lo, hi if self.hi is None else self.hi


def range_controls(subject: Subject) -> Asked:
    """min_range and max_range; an empty box takes the smallest or largest value."""
    lo, hi = subject.extremes
    ends = (("min_range", "tf_lo", lo), ("max_range", "tf_hi", hi))
    given = [
        st.number_input(
            name, value=None, step=0.1, format="%g", key=key, bind="query-params", width=176,
            placeholder=f"{number(of_data)} (data)", help=term(name),
        )
        for name, key, of_data in ends
    ]  # fmt: skip
    return Asked(*given)


def try_ranges(
    ranges: Sequence[tuple[float, float]], words: str, values: Mapping[float, str] | None = None
) -> None:
    """Buttons that set a range; ``values`` (by lower end) are typed in along with it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(words, width="content")
        for lo, hi in ranges:
            label = f"[{number(lo)}, {number(hi)}]"
            given = lo, hi, (values or {}).get(lo)
            st.button(label, key=f"tf_try-{lo}-{hi}", on_click=_set_range, args=given)


def _set_range(lo: float, hi: float, values: str | None) -> None:
    st.session_state["tf_lo"], st.session_state["tf_hi"] = lo, hi
    if values is not None:
        st.session_state["tf_typed"], st.session_state["tf_values"] = True, values
