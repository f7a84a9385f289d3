"""Knobs become widgets: one declaration in the core, one control on screen."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qviz.registry import Knob, knobs_of, write_knob


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
    if knob.low is None or knob.high is None:
        return st.number_input(label, knob.low, knob.high, value, format="%g", key=key, help=text)
    step = 10.0 ** (len(str(int(knob.high))) - 4)
    return st.slider(label, float(knob.low), float(knob.high), value, step, key=key, help=text)
