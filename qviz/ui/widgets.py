"""Knobs become widgets: one declaration in the core, one control on screen."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import streamlit as st

from qviz.registry import Knob, knobs_of, write_knob

TICKS = 250  # places on a slider that a hand can tell apart
TINY = 1e-9  # of the last digit: below it plus and minus are of no use


def knob_widgets(member: Any, key: str) -> Any:
    """Controls for every knob of a member; gives the member with the values on screen."""
    values = {
        name: _widget(name, knob, value, f"{key}-{name}")
        for name, (knob, value) in knobs_of(member).items()
    }
    return type(member)(**values)


def _widget(name: str, knob: Knob, value: Any, key: str) -> Any:
    label, text = name.replace("_", " "), knob.help or None
    if knob.options is not None:
        at = knob.options.index(value) if value in knob.options else 0
        return st.selectbox(
            label, knob.options, index=at, format_func=write_knob, key=key, help=text
        )
    if isinstance(value, bool):
        return st.toggle(label, value, key=key, help=text)
    if isinstance(value, int):
        low, high = (None if end is None else int(end) for end in (knob.low, knob.high))
        return st.number_input(label, low, high, value, key=key, help=text)
    return _real(label, knob, float(value), key, text)


def _real(label: str, knob: Knob, value: float, key: str, text: str | None) -> float:
    """A slider where it can hit the last digit of the default, else a box to type in."""
    digit = 10.0 ** int(Decimal(repr(value)).as_tuple().exponent)
    if knob.low is None or knob.high is None or digit * TICKS < knob.high - knob.low:
        step = digit if digit > TINY else None
        return st.number_input(
            label, knob.low, knob.high, value, step, format="%g", key=key, help=text
        )
    step = 10.0 ** (len(str(int(knob.high))) - 4)
    return st.slider(label, float(knob.low), float(knob.high), value, step, key=key, help=text)
