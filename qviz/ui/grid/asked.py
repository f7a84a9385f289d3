"""The range asked for, or the qparams: typed, dragged, or taken from an observer."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.numbers import number
from qviz.figures.theme import clean
from qviz.observers.base import OBSERVERS
from qviz.observers.manual import ManualObserver
from qviz.pipeline import Settled, settle
from qviz.quantizers.affine import Affine, typed
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.ui.grid.slide import LEAST, bounds
from qviz.ui.grid.slide import slider as slider_between
from qviz.ui.grid.subject import Subject
from qviz.ui.words import term

LO, HI, SCALE, ZERO = "grid_lo", "grid_hi", "grid_scale", "grid_zero"
FIRST = "grid_first"  # spelling of the observer whose range stands there at first
BY = {"range": "Range", "qparams": "Scale, zero point"}
READY = {"minmax": "All values", "percentile": "Middle 99.9 %", "mse": "Least error"}


def start(shown: Subject) -> tuple[float, float]:
    """The range of the first highlight of the Observers page, else that of all values.

    Raises
    ------
    QvizError
        There is no finite element.
    """
    first = st.session_state.get(FIRST)
    if first:
        with suppress(QvizError):  # where it cannot serve, the page starts from all values
            return observed(shown, first)
    return observed(shown, "minmax")


def observed(shown: Subject, spelling: str) -> tuple[float, float]:
    """The range an observer chooses for these elements (see ``settle`` for what is refused)."""
    observer, target = OBSERVERS.make(spelling), shown.choice.target
    served(target)
    found = settle(observer, shown.gathered(observer.needs), target)
    kept = found.range or found.covered
    return float(kept.lo[0]), float(kept.hi[0])


def whose(shown: Subject) -> str:
    """Whose range is shown, for a caption; empty where it was typed or is that of all values."""
    state = st.session_state
    first = state.get(FIRST) if state.get(LO) is None and state.get(HI) is None else None
    if first:
        with suppress(QvizError):
            observed(shown, first)
            return f"; the range of {clean(OBSERVERS.title_of(OBSERVERS.make(first)))}"
    return ""


def unheeded(shown: Subject) -> str:
    """What typed qparams leave out, for a caption; empty where the mode counts."""
    mode = shown.choice.target.mode
    if st.session_state.get("grid_by", "range") != "qparams" or mode == Affine():
        return ""
    title = clean(QUANTIZERS.title_of(mode))
    return f"; typed scale and zero point make a uniform grid, {title} has no say in it"


def renew(shown: Subject) -> None:
    """Forget what was typed for other elements; an address keeps what it brought."""
    state = st.session_state
    if state.get("grid_of", shown.name) != shown.name:
        for key in (LO, HI, SCALE, ZERO):
            state[key] = None
    state["grid_of"] = shown.name
    if "show" in state:
        state[FIRST] = next(iter(state["show"]), None)  # the highlights' widget is elsewhere
    low, high = shown.choice.target.spec.ends
    if state.get(ZERO) is not None and not low <= state[ZERO] <= high:
        state[ZERO] = None  # no code of this width


def range_now(shown: Subject) -> tuple[float, float]:
    """The range on screen: what was typed or dragged, the rest from ``start``."""
    lo, hi = st.session_state.get(LO), st.session_state.get(HI)
    if lo is None or hi is None:
        first = start(shown)
        lo, hi = first[0] if lo is None else lo, first[1] if hi is None else hi
    return float(lo), float(hi)


def boxes(shown: Subject) -> None:
    """Two boxes to type in: a range, or scale and zero point as ``BY`` says."""
    by_range = st.session_state.get("grid_by", "range") != "qparams"
    if by_range:
        now = range_now(shown)
        limits = bounds(*now)
        for key, label, value in ((LO, "Lower", now[0]), (HI, "Upper", now[1])):
            st.number_input(
                label, value=None, step=limits.step if limits else None, format="%g", key=key,
                placeholder=number(value, 4), bind="query-params", persist_state="session",
                width=112, help=term(key.removeprefix("grid_")),
            )  # fmt: skip
        return
    scale, zero = qparams_now(shown)
    low, high = shown.choice.target.spec.ends
    tenth = 10.0 ** math.floor(math.log10(max(abs(scale), LEAST)) - 1)
    st.number_input(
        "Scale", value=None, format="%g", step=tenth, key=SCALE, placeholder=number(scale, 4),
        bind="query-params", persist_state="session", width=112, help=term("scale"),
    )  # fmt: skip
    st.number_input(
        "Zero point", low, high, value=None, step=1, key=ZERO, placeholder=str(zero),
        bind="query-params", persist_state="session", width=112, help=term("zero_point"),
    )  # fmt: skip


def qparams_now(shown: Subject) -> tuple[float, int]:
    """Scale and zero point on screen; untyped ones are those of the range on screen."""
    scale, zero = st.session_state.get(SCALE), st.session_state.get(ZERO)
    if scale is None or zero is None:
        made = _of_range(shown).quantizer.qparams()
        step, at = made["scale"], made["zero_point"]
        low, high = shown.choice.target.spec.ends
        first = float(step[0]) if step is not None and step[0] > 0 else 1.0
        code = int(np.clip(float(at[0]), low, high)) if at is not None else low
        scale, zero = scale if scale is not None else first, zero if zero is not None else code
    return float(scale), int(zero)


def settled(shown: Subject) -> Settled:
    """The quantizer on screen.

    Raises
    ------
    QvizError
        The mode refuses the target, the range is upside down, a scale is no step.
    """
    if st.session_state.get("grid_by", "range") == "qparams":
        return Settled(None, typed(*qparams_now(shown), *shown.choice.target.spec.ends))
    return _of_range(shown)


def served(target: Target) -> None:
    """Refuse, in the user's words, a mode that has no such codes."""
    refused = target.mode.accepts(target)
    if refused is not None:
        title = QUANTIZERS.title_of(target.mode)
        do = "Choose another mode or other codes."
        raise QvizError(f"{title} does not serve these codes: {refused}.", "", do)


def _of_range(shown: Subject) -> Settled:
    lo, hi = range_now(shown)
    served(shown.choice.target)
    if lo > hi:
        raise QvizError(f"The range runs from {lo:g} down to {hi:g}.", "", "Exchange its ends.")
    return settle(ManualObserver(*range_now(shown)), shown.seen, shown.choice.target)


def slider(shown: Subject) -> None:
    """The range as two handles; it writes what was dragged into the boxes."""
    limits = bounds(float(shown.facts.lo[0]), float(shown.facts.hi[0]))
    if limits is not None and st.session_state.get("grid_by", "range") != "qparams":
        slider_between(limits, range_now(shown), shown.name, (LO, HI))


def ready_ranges(shown: Subject) -> None:
    """Buttons that set the range an observer chooses."""
    for spelling, label in READY.items():
        st.button(label, on_click=_take, args=(shown, spelling), key=f"grid-take-{spelling}")


def _take(shown: Subject, spelling: str) -> None:
    try:
        st.session_state[LO], st.session_state[HI] = observed(shown, spelling)
    except QvizError as error:
        st.session_state["grid_refused"] = str(error)
