"""A range or qparams that are typed, and what rules make of typed qparams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.numbers import until_they_differ
from qviz.quantizers.affine import typed
from qviz.quantizers.base import covered
from qviz.rosetta.answers import Answer
from qviz.rosetta.divergence import from_lowest
from qviz.rosetta.extent import in_order
from qviz.ui.words import term

START: dict[str, Any] = {"lo": -0.5, "hi": 2.5, "scale": 0.1, "zero": 128, "type": "uint8"}
ENDS = {"uint8": (0, 255), "int8": (-128, 127)}


def boxes(by: str) -> None:
    """Boxes to type in, where the range is not the tensor's."""
    if by == "tensor":
        return
    with st.container(horizontal=True):
        if by == "range":
            _box("lo", "Lower")
            _box("hi", "Upper")
            return
        _box("scale", "Scale")
        st.number_input(
            "Zero point", -128, 255, int(START["zero"]), key="rosetta_zero",
            help=term("rosetta_zero"), bind="query-params", width=150,
        )  # fmt: skip
        st.segmented_control(
            "Codes", list(ENDS), default="uint8", key="rosetta_type", bind="query-params",
            required=True,
        )  # fmt: skip


def _box(name: str, label: str) -> None:
    st.number_input(
        label, value=START[name], format="%g", step=0.1, key=f"rosetta_{name}", help=term(name),
        bind="query-params", width=150,
    )  # fmt: skip


def typed_range(by: str) -> tuple[float, float]:
    """The range that is typed, or covered by the qparams that are.

    Raises
    ------
    QvizError
        Ends out of order, a scale that is none, a zero point that is none of the codes.
    """
    state = _state()
    if by == "range":
        return in_order(float(state["lo"]), float(state["hi"]))
    zero, (low, high) = int(state["zero"]), ENDS[state["type"]]
    if not low <= zero <= high:
        raise QvizError(
            f"The zero point {zero} is none of the codes {low} to {high}.",
            f"These are the codes of {state['type']}.",
            "Choose the other codes, or another zero point.",
        )
    ends = covered(typed(float(state["scale"]), zero, low, high))
    return float(ends.lo[0]), float(ends.hi[0])


def scale_words(given: Sequence[Answer]) -> str:
    """That each rule makes qparams of its own from what the typed ones cover, and how many differ.

    Scales are compared in float32, zero points from the lowest code.
    """
    state = _state()
    scale = float(state["scale"])
    zero = int(state["zero"]) - ENDS[state["type"]][0]
    made = [one for one in given if one.usable and one.scale is not None]
    others = [one for one in made if np.float32(one.scale) != np.float32(scale)]
    moved = [one for one in made if one not in others and _zero(one) not in (None, zero)]
    said = "Each rule makes its own scale of the range that the typed qparams cover"
    if not others and not moved:
        return f"{said}, and all come back to the typed ones."
    first = (others or moved)[0]
    own, wanted = until_they_differ(first.scale, scale, 4)
    said += f": {len(others)} of {len(made)} get another scale"
    said += f" ({first.rule.title} {own}, typed {wanted})" if others else ""
    return f"{said}." if not moved else f"{said}; of the others {len(moved)} another zero point."


def _zero(one: Answer) -> float | None:
    return None if one.zero_point is None else from_lowest((one.zero_point,), one)[0]


def _state() -> dict[str, Any]:
    found = {name: st.session_state.get(f"rosetta_{name}") for name in START}
    return {name: START[name] if value is None else value for name, value in found.items()}
