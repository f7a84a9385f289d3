"""What else is known of the layer: other open tensors, and a format that values are cast to."""

from __future__ import annotations

import numpy as np
import streamlit as st

from qviz import xp
from qviz.doctor import Bias
from qviz.doctor.formats import STORED_AS
from qviz.errors import QvizError
from qviz.spec import Role
from qviz.transforms.base import Operand
from qviz.ui.choice import Choice, shape_words
from qviz.ui.library import Item, items
from qviz.ui.notices import plain
from qviz.ui.words import term

NONE = ""
NOT_YET = "nothing yet"
MOST_BIAS = 2**20  # elements of a bias
MOST = 2**24  # elements that have a weight of their own


def stored_as() -> str:
    """Name of the format that values are cast to; empty without one."""
    return st.selectbox(
        "Stored as", [NONE, *STORED_AS], key="doctor_stored_as", bind="query-params",
        help=term("doctor_stored_as"), format_func=_format,
    )  # fmt: skip


def _format(name: str) -> str:
    """``float8 e4m3fn``, ``MX fp4 e2m1``."""
    return name.replace("_", " ").replace("mx", "MX ") or "nothing else"


def operand(choice: Choice) -> tuple[Operand | None, str]:
    """The other operand of the product, among the tensors that are open and fit."""
    found = _fitting(choice)
    key = f"doctor_operand-{choice.item.info.fingerprint}"
    chosen = st.selectbox(
        "Multiplied with", [NONE, *found], key=key, help=term("doctor_operand"),
        format_func=lambda i: NOT_YET if i == NONE else _title(found[i]), disabled=not found,
    )  # fmt: skip
    if chosen not in found:
        return None, ""
    item, axis = found[chosen]
    try:
        return Operand(item.array(), axis), f"{item.info.fingerprint}|{axis}"
    except QvizError as error:
        st.caption(plain(str(error)))
        return None, ""


def operand_id(choice: Choice) -> str:
    """How the chosen operand and its axis are named; empty without one, or of a private tensor."""
    chosen = st.session_state.get(f"doctor_operand-{choice.item.info.fingerprint}") or NONE
    found = _fitting(choice)
    return chosen if chosen in found and not found[chosen][0].private else NONE


def _title(one: tuple[Item, int | None]) -> str:
    item, axis = one
    along = "" if axis is None else f", along axis {axis}"
    return f"{item.label}, {shape_words(item.info.shape)}{along}"


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


def importance(choice: Choice) -> tuple[np.ndarray | None, str]:
    """A weight for each element, of a tensor of this shape, or the same along an axis."""
    found = _weighing(choice)
    key = f"doctor_importance-{choice.item.info.fingerprint}"
    chosen = st.selectbox(
        "Importance", [NONE, *found], key=key, help=term("doctor_importance"),
        format_func=lambda i: NOT_YET if i == NONE else _title(found[i]), disabled=not found,
    )  # fmt: skip
    if chosen not in found:
        return None, ""
    item, axis = found[chosen]
    return spread(_floats(item), choice.item.info.shape, axis), f"{item.info.fingerprint}|{axis}"


def spread(weights: np.ndarray, shape: tuple[int, ...], axis: int | None) -> np.ndarray:
    """Weights of a shape: as they are, or those of an axis given to all along the others."""
    if axis is None:
        return weights
    extents = [-1 if at == axis else 1 for at in range(len(shape))]
    return np.broadcast_to(weights.reshape(extents), shape)


def _weighing(choice: Choice) -> dict[str, tuple[Item, int | None]]:
    """Tensors of the same shape, and vectors as long as the channels or the last axis."""
    info, out = choice.item.info, {}
    if not info.size or info.size > MOST or choice.batch_axis is not None:
        return {}
    ends = {} if len(info.shape) < 2 else dict.fromkeys((choice.channel_axis, len(info.shape) - 1))
    for id, item in items().items():
        shape = item.info.shape
        if id == choice.item.id or item.info.parameter:
            continue
        if shape == info.shape:
            out[id] = (item, None)
        fits = [a for a in ends if a is not None and shape == (info.shape[a],)]
        out |= {f"{id}|{axis}": (item, axis) for axis in fits}
    return out


def _floats(item: Item) -> np.ndarray:
    return xp.host(xp.working(xp.enter(item.array()))).astype(np.float64)


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
        format_func=lambda i: NOT_YET if i == NONE else found[i].label,
    )  # fmt: skip
    scale = st.number_input(
        "Scale of the layer's input", value=None, key="doctor_input_scale", format="%g",
        help=term("doctor_input_scale"),
    )  # fmt: skip
    if chosen not in found or scale is None:
        return None, None
    item = found[chosen]
    values = _floats(item).reshape(-1)
    return Bias(values, float(scale)), (item.info.fingerprint, float(scale))
