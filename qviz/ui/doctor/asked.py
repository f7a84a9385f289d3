"""What the page is asked: the rule for the range, and what is known besides the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from qviz.doctor import Bias, Given
from qviz.errors import QvizError
from qviz.figures.theme import clean
from qviz.observers.base import OBSERVERS, Observer
from qviz.sources.base import TensorInfo
from qviz.transforms.base import Operand
from qviz.ui.choice import Choice
from qviz.ui.doctor import others
from qviz.ui.doctor.running import run_of
from qviz.ui.words import term

RULE, SCALE, ZERO, LOW, HIGH = (
    "doctor_rule", "doctor_scale", "doctor_zero", "doctor_low", "doctor_high"
)  # fmt: skip
OWN: dict[str, None] = dict.fromkeys((SCALE, ZERO, LOW, HIGH))  # qparams of which none is typed
CODES = ("int8", "uint8")


@dataclass(frozen=True, eq=False)
class Asked:
    """The observer, typed or stored qparams, a bias, the other operand, what the target knows.

    ``output`` says that gains are measured at the output of the tensor's model; ``refused`` why
    qparams of the address are none.
    """

    observer: Observer
    given: Given | None = None
    coded: bool = False
    bias: Bias | None = None
    operand: Operand | None = None
    importance: np.ndarray | None = None
    stored_as: str = ""
    symmetric_only: bool = False
    output: bool = False
    refused: str = ""
    key: tuple[Any, ...] = ()


def highlight() -> str:
    """Spelling of the first highlight that a person chose on Observers, else of min-max."""
    chosen = st.session_state.get("show") if st.session_state.get("touched") else None
    return chosen[0] if chosen else "minmax"


def asked(choice: Choice) -> Asked:
    """Draw the controls; gives what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        observer = _rule()
        output = run_of(choice) is not None and st.toggle(
            "Gains at the model's output", True, key="doctor_output", help=term("doctor_output"),
            persist_state="session",
        )  # fmt: skip
        with st.popover("Also known", icon=":material/tune:", help=term("doctor_known")):
            found = _known(choice, observer)
    return replace(found, output=output, key=(*found.key, output))


def _rule() -> Observer:
    """The observer: the first highlight unless another one is chosen here."""
    first = highlight()
    if st.session_state.get("doctor_first") != first:
        st.session_state["doctor_first"] = first
        given = st.query_params.get(RULE)
        st.session_state[RULE] = given if given and _can_make(given) else first
    chosen = st.session_state.get(RULE) or first
    st.session_state[RULE] = chosen
    options = list(dict.fromkeys([first, chosen, *OBSERVERS]))
    name = st.selectbox(
        "Range chosen by", options, key=RULE, help=term("doctor_rule"), width=300,
        format_func=lambda s: OBSERVERS.title_of(OBSERVERS.make(s)),
    )  # fmt: skip
    if name == first:
        st.query_params.pop(RULE, None)
    elif st.query_params.get(RULE) != name:
        st.query_params[RULE] = name
    return OBSERVERS.make(name)


def _can_make(spelling: str) -> bool:
    try:
        OBSERVERS.make(spelling)
    except QvizError:
        return False
    return True


def _known(choice: Choice, observer: Observer) -> Asked:
    info = choice.item.info
    coded = info.dtype in CODES and st.toggle(
        "These are codes", True, key=f"doctor_codes-{info.fingerprint}", help=term("doctor_codes")
    )
    refused = _unread()
    given = _given(choice, coded)
    kind = others.stored_as()
    other, other_key = others.operand(choice)
    weights, weights_key = others.importance(choice)
    added, added_key = others.bias(choice)
    only = st.toggle(
        "The target knows no zero points", key="doctor_symmetric_only", bind="query-params",
        help=term("doctor_symmetric_only"),
    )  # fmt: skip
    spelled, others_key = OBSERVERS.spell(observer), (other_key, weights_key, added_key)
    return Asked(
        observer, given, coded, added, other, weights, kind, only, refused=refused,
        key=(spelled, coded, _key_of(given), kind, *others_key, only),
    )  # fmt: skip


def _key_of(given: Given | None) -> tuple[Any, ...] | None:
    if given is None:
        return None
    few = str((given.scale[:9].tolist(), given.zero_point[:9].tolist()))
    return few, given.quant_min, given.quant_max, given.scale.size


def _unread() -> str:
    """Why a scale of the address is none: its box takes finite numbers alone."""
    text = st.query_params.get(SCALE)
    try:
        sound = text is None or np.isfinite(float(text))
    except ValueError:
        sound = False
    return (
        "" if sound else f"Scale {clean(str(text), 24)} is no finite number. A step has to be one."
    )


def _given(choice: Choice, coded: bool) -> Given | None:
    """Typed qparams, else those stored with codes."""
    st.caption("Qparams that are used in place of the observer's")
    low, high = _ends(choice.item.info, choice, coded)
    number: Callable[..., Any] = partial(st.number_input, bind="query-params")
    with st.container(horizontal=True):
        scale = number("Scale", value=None, key=SCALE, format="%g", help=term("scale"), width=150)
        zero = number(
            "Zero point",
            value=None,
            step=1,
            key=ZERO,
            placeholder="0",
            width=120,
            help=term("zero_point"),
        )
    with st.container(horizontal=True):
        least = number(
            "Smallest code", value=None, step=1, key=LOW, placeholder=f"{low}", width=135
        )
        most = number(
            "Largest code", value=None, step=1, key=HIGH, placeholder=f"{high}", width=135
        )
    ends = low if least is None else int(least), high if most is None else int(most)
    if scale is not None:
        return Given.of(scale, zero or 0, ends)
    return stored(choice.item.info) if coded else None


def stored(info: TensorInfo) -> Given | None:
    """Scale and zero point that a file states with its codes."""
    if info.qparams is None:
        return None
    scales, zeros = info.qparams.scale.reshape(-1), info.qparams.zero_point.reshape(-1)
    return Given.of(scales, zeros, info.qparams.ends or _limits(info.dtype))


def _ends(info: TensorInfo, choice: Choice, coded: bool) -> tuple[int, int]:
    return _limits(info.dtype) if coded else choice.target.spec.ends


def _limits(dtype: str) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)
