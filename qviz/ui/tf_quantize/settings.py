"""Controls of the page: type, rounding, axis, range; those of the sidebar where they say so."""

from __future__ import annotations

import streamlit as st

from qviz.dialects.tensorflow.members import members, roundings
from qviz.dialects.tensorflow.ranges import LEAST_RANGE
from qviz.dialects.tensorflow.setting import MOST_BITS, Setting
from qviz.dialects.tensorflow.types import TYPES
from qviz.quantizers.base import QUANTIZERS
from qviz.registry import Knob, knobs_of
from qviz.ui.choice import Choice, axes, chosen_batch_axis, in_a_batch
from qviz.ui.tf_quantize.asked import TYPED
from qviz.ui.tf_quantize.subject import Subject, one_slice, typed, whole
from qviz.ui.words import term

WHOLE = "whole tensor"
NARROW = "tf_narrow"
SLICE = "tf_slice"


def type_control(choice: Choice) -> str | None:
    """The type; those of up to 16 bits are the bits and sign of the sidebar. Gives a wide one."""
    spec, state = choice.target.spec, st.session_state
    codes = spec.bits, spec.signed
    if "tf_type_wide" not in state:
        given = st.query_params.get("tf_type")
        state["tf_type_wide"] = (given, codes) if given in _wide() else None
    if state["tf_type_wide"] is not None and state["tf_type_wide"][1] != codes:
        state["tf_type_wide"] = None  # the sidebar was turned since
    wide = state["tf_type_wide"][0] if state["tf_type_wide"] else None
    _address("tf_type", wide)
    state["tf_type_shown"] = wide or Setting(spec).type_name
    st.segmented_control(
        "Type", list(TYPES), key="tf_type_shown", on_change=_choose_type, help=term("tf_type")
    )
    return wide


def _wide() -> list[str]:
    return [name for name, kind in TYPES.items() if kind.bits > MOST_BITS]


def _address(key: str, value: str | None) -> None:
    """Write a value into the address, or take it out."""
    if value is None:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value


def _choose_type() -> None:
    state = st.session_state
    chosen = state["tf_type_shown"]
    state["tf_rerun"] = True
    if chosen in _wide():
        state["tf_type_wide"] = (chosen, (state.get("bits", 8), state.get("signed", False)))
    elif chosen is not None:
        state["tf_type_wide"] = None
        state["bits"], state["signed"] = TYPES[chosen].bits, TYPES[chosen].signed


def setting_controls(choice: Choice) -> Setting:
    """One row: type, rounding, narrow_range, axis. What the sidebar knows is set there."""
    wide = type_control(choice)
    rounding = st.selectbox(
        "Rounding", roundings(), key="tf_round", bind="query-params", width=216,
        help=term("round_mode"),
    )  # fmt: skip
    _axis_control(choice)
    st.session_state[NARROW] = choice.target.spec.narrow_range
    st.toggle("narrow_range", key=NARROW, on_change=_choose_narrow, help=term("narrow_range"))
    if st.session_state.pop("tf_rerun", False):
        st.rerun()  # the sidebar shows it as well
    least = st.session_state.get("tf_least") or LEAST_RANGE
    target = choice.target
    return Setting(target.spec, target.granularity, rounding, float(least), wide)


def _choose_narrow() -> None:
    st.session_state["narrow_range"] = st.session_state[NARROW]
    st.session_state["tf_rerun"] = True


def _axis_control(choice: Choice) -> None:
    info = choice.item.info
    if len(axes(info)) < 2:
        return
    here = _axis_of(choice)
    key = f"tf_axis-{info.fingerprint}"
    st.session_state[key] = WHOLE if here is None else here
    st.selectbox(
        "axis", [WHOLE, *axes(info)], key=key, on_change=_choose_axis, args=(key,), width=150,
        format_func=lambda a: a if a == WHOLE else f"{a} ({info.shape[a]:,} ranges)",
        help=term("axis"),
    )  # fmt: skip


def _axis_of(choice: Choice) -> int | None:
    """The axis of the whole tensor whose slices have ranges of their own."""
    granularity, info = choice.target.granularity, choice.item.info
    if granularity.kind != "per_channel":
        return None
    batch = chosen_batch_axis(info)
    return next(a for a in axes(info) if in_a_batch(a, batch) == granularity.axis)


def _choose_axis(key: str) -> None:
    chosen, state = st.session_state[key], st.session_state
    state["tf_rerun"] = True
    state["granularity"] = "per_tensor" if chosen == WHOLE else "per_channel"
    if chosen != WHOLE:
        state["axis"] = chosen


def more_controls(*, formulas: bool, values: bool) -> None:
    """The popover of what is rarely turned.

    ``formulas`` where the modes of quantize are shown, ``values`` where one box of them serves.
    """
    with st.popover("More", icon=":material/tune:"):
        if formulas:
            _formula_controls()
        st.toggle("Type values", key="tf_typed", bind="query-params", help=term("tf_typed"))
        if values:
            _values_control()


def _values_control() -> None:
    st.text_input(
        "Values", TYPED, key="tf_values", bind="query-params",
        disabled=not st.session_state["tf_typed"],
    )  # fmt: skip


def _formula_controls() -> None:
    low, high = _least_knob().low, _least_knob().high
    st.number_input(
        "ensure_minimum_range", low, high, LEAST_RANGE, 0.01, format="%g", key="tf_least",
        bind="query-params", help=term("ensure_minimum_range"),
    )  # fmt: skip
    st.toggle(
        "Also show the documented formulas", key="tf_doc", bind="query-params",
        help=term("tf_documented"),
    )  # fmt: skip


def typed_or_whole(choice: Choice) -> Subject:
    """Typed values, else the whole tensor."""
    if st.session_state.get("tf_typed"):
        return typed(choice, st.session_state.get("tf_values") or "")
    return whole(choice)


def _least_knob() -> Knob:
    """How the modes declare it."""
    name = "ensure_minimum_range"
    return next(k[name][0] for k in map(knobs_of, map(QUANTIZERS.get, members())) if name in k)


def looked_at(choice: Choice) -> Subject:
    """Typed values, one slice of the chosen axis, or the whole tensor.

    Raises
    ------
    QvizError
        What was typed holds no numbers.
    """
    if st.session_state.get("tf_typed"):
        return typed(choice, st.session_state.get("tf_values") or "")
    axis, info = _axis_of(choice), choice.item.info
    if axis is None or not info.size:
        _address(SLICE, None)
        return whole(choice)
    at = _slice(f"tf_slice-{info.fingerprint}-{axis}", info.shape[axis] - 1)
    return one_slice(choice, axis, at)


def _slice(key: str, last: int) -> int:
    """Which slice, 0 to ``last``; the address names it, for the tensor and axis shown alone."""
    if not last:
        _address(SLICE, None)
        return 0
    state = st.session_state
    given = "" if state.get("tf_slice_read") else st.query_params.get(SLICE, "")
    state["tf_slice_read"] = True
    if key not in state and given.isdecimal() and int(given) <= last:
        state[key] = int(given)
    at = int(st.number_input("Slice", 0, last, key=key, width=150, help=term("tf_slice")) or 0)
    _address(SLICE, str(at) if at else None)
    return at
