"""Other open tensors that belong to the layer: what this one is multiplied with, and the bias."""

from __future__ import annotations

import numpy as np
import streamlit as st

from qviz import xp
from qviz.doctor import Bias
from qviz.errors import QvizError
from qviz.spec import Role
from qviz.transforms.base import Operand
from qviz.ui.choice import Choice, shape_words
from qviz.ui.library import Item, items
from qviz.ui.notices import plain
from qviz.ui.words import term

NONE = ""
MOST_BIAS = 2**20  # elements of a bias


def operand(choice: Choice) -> tuple[Operand | None, str]:
    """The other operand of the product, among the tensors that are open and fit."""
    found = _fitting(choice)
    key = f"doctor_operand-{choice.item.info.fingerprint}"
    chosen = st.selectbox(
        "Multiplied with", [NONE, *found], key=key, help=term("doctor_operand"),
        format_func=lambda i: "nothing yet" if i == NONE else _title(found[i]),
        disabled=not found,
    )  # fmt: skip
    if chosen not in found:
        return None, ""
    item, axis = found[chosen]
    try:
        return Operand(item.array(), axis), f"{item.info.fingerprint}|{axis}"
    except QvizError as error:
        st.caption(plain(str(error)))
        return None, ""


def _title(one: tuple[Item, int]) -> str:
    item, axis = one
    return f"{item.label}, {shape_words(item.info.shape)}, along axis {axis}"


def _fitting(choice: Choice) -> dict[str, tuple[Item, int]]:
    """Tensors with an axis as long as the one along which the product adds up."""
    shape, out = choice.item.info.shape, {}
    if len(shape) < 2 or not choice.item.info.size:
        return {}
    extent = shape[1 if choice.role == Role.WEIGHT else -1]
    for id, item in items().items():
        other = item.info.shape
        if id == choice.item.id or len(other) < 2 or item.info.role == choice.role:
            continue
        axes = [len(other) - 1, 0] if len(other) == 2 else [len(other) - 1]
        out |= {f"{id}|{axis}": (item, axis) for axis in axes if other[axis] == extent}
    return out


def bias(choice: Choice) -> tuple[Bias | None, tuple[str, float] | None]:
    """The layer's bias, among the open vectors, and the scale of its input."""
    shape = choice.item.info.shape
    found = {
        id: item for id, item in items().items()
        if len(item.info.shape) == 1 and shape and item.info.size == shape[0]
        and id != choice.item.id and item.info.size <= MOST_BIAS
    } if choice.role != Role.ACTIVATION else {}  # fmt: skip
    if not found:
        return None, None
    chosen = st.selectbox(
        "The layer's bias", [NONE, *found], key=f"doctor_bias-{choice.item.info.fingerprint}",
        help=term("doctor_bias"),
        format_func=lambda i: "nothing yet" if i == NONE else found[i].label,
    )  # fmt: skip
    scale = st.number_input(
        "Scale of the layer's input", value=None, key="doctor_input_scale", format="%g",
        help=term("doctor_input_scale"),
    )  # fmt: skip
    if chosen not in found or scale is None:
        return None, None
    values = xp.host(xp.working(xp.enter(found[chosen].array()))).astype(np.float64).reshape(-1)
    return Bias(values, float(scale)), (found[chosen].info.fingerprint, float(scale))
