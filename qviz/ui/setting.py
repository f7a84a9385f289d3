"""Callbacks set the choice of every page: codes, granularity, mode, and the first highlight."""

from __future__ import annotations

import streamlit as st

from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.sources.base import TensorInfo
from qviz.spec import Granularity
from qviz.ui import rows
from qviz.ui.choice import axes, chosen_batch_axis, in_a_batch


def set_target(info: TensorInfo, target: Target) -> None:
    """Set all of them for a tensor, so that it is looked at under this target."""
    state, spec = st.session_state, target.spec
    for name in ("bits", "signed", "symmetric", "narrow_range", "reduce_range"):
        state[name] = getattr(spec, name)
    state["custom"] = spec.quant_min is not None and spec.quant_max is not None
    if state["custom"]:
        state["quant_min"], state["quant_max"] = spec.quant_min, spec.quant_max
    set_granularity(info, target.granularity)
    set_mode(QUANTIZERS.spell(target.mode))


def set_granularity(info: TensorInfo, granularity: Granularity) -> None:
    """Set which elements of a batch share a range; an axis is that of a batch of the tensor."""
    state = st.session_state
    named = granularity.kind == "per_group"
    state["granularity"] = f"group_{granularity.size}" if named else granularity.kind
    if granularity.kind == "per_channel":
        state["axis"], state["axis_of"] = whole_axis(info, granularity.axis), info.fingerprint


def whole_axis(info: TensorInfo, axis: int) -> int | None:
    """The axis of the whole tensor that is this one of a batch; None where it holds none."""
    batch = chosen_batch_axis(info)
    wanted = axis % max(len(info.shape) - (batch is not None), 1)
    return next((a for a in axes(info) if in_a_batch(a, batch) == wanted), None)


def set_mode(spelling: str) -> None:
    """Set the mode and its knobs."""
    made = QUANTIZERS.make(spelling)
    st.session_state["mode"] = QUANTIZERS.name_of(made)
    st.session_state["mode_spelling"] = QUANTIZERS.spell(made)


def set_observer(spelling: str) -> str:
    """Make an observer the first highlight; gives its one spelling.

    It becomes a row of its own where it is not listed.
    """
    state = st.session_state
    spelling = OBSERVERS.spell(OBSERVERS.make(spelling))
    if spelling not in rows.variants() and spelling not in _listed():
        state["variants"] = [*rows.variants(), spelling]
    others = [s for s in state.get("show", []) if s != spelling]
    state["show"], state["touched"] = [spelling, *others][: rows.MOST], True
    return spelling


def _listed() -> set[str]:
    return {OBSERVERS.spell(observer) for observer in rows.listed("minmax")}
