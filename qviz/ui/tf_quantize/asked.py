"""The range that is asked for: two boxes, and buttons that fill them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from qviz.figures.numbers import number
from qviz.ui.tf_quantize.subject import Subject
from qviz.ui.words import term

TYPED = "-1, -0.25, 0, 0.1, 0.7, 1"  # values in the box before any are typed


@dataclass(frozen=True)
class Asked:
    """The range as typed; what is empty comes from the data."""

    lo: float | None
    hi: float | None

    def on(self, subject: Subject) -> tuple[float, float]:
        """Both ends."""
        lo, hi = subject.extremes
        return lo if self.lo is None else self.lo, hi if self.hi is None else self.hi


def range_controls(subject: Subject, *, from_data: bool = True) -> Asked:
    """min_range and max_range; an empty box takes the smallest or largest value.

    Without ``from_data`` it passes 0, as what the op ignores.
    """
    lo, hi = subject.extremes if from_data else (0.0, 0.0)
    origin = "data" if from_data else "passed"
    ends = (("min_range", "tf_lo", lo), ("max_range", "tf_hi", hi))
    given = [
        st.number_input(
            name, value=None, step=0.1, format="%g", key=key, bind="query-params", width=176,
            placeholder=f"{number(empty)} ({origin})", help=term(name),
        )
        for name, key, empty in ends
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
    """Set the range; what an earlier button typed in goes, unless it was changed since."""
    state = st.session_state
    state["tf_lo"], state["tf_hi"] = lo, hi
    now = state.get("tf_typed", False), state.get("tf_values") or TYPED
    lent, before = state.pop("tf_lent", (None, now))
    before = before if now == (True, lent) else now
    if values is not None:
        state["tf_lent"] = values, before
        before = True, values
    state["tf_typed"], state["tf_values"] = before
