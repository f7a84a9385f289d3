"""The popover that says what the tensor is, and lets role and batch axis be set."""

from __future__ import annotations

import streamlit as st

from qviz.figures.numbers import integer
from qviz.spec import Role
from qviz.ui.choice import batch_key, shape_words
from qviz.ui.library import Item
from qviz.ui.words import term


def facts_panel(item: Item) -> tuple[int | None, str]:
    """Batch axis and role as set on screen."""
    info = item.info
    with st.popover("About this tensor", icon=":material/info:", width="stretch"):
        st.text(info.name)
        if info.about:
            st.caption(info.about)
        st.dataframe(
            {
                "fact": ["elements", "shape", "dtype", "file"],
                "value": [
                    integer(info.size),
                    shape_words(info.shape),
                    info.dtype,
                    item.source.title,
                ],
            },
            hide_index=True,
            width="stretch",
            alt="Facts of the tensor",
        )
        roles = list(Role)
        role = st.selectbox(
            "Role", roles, roles.index(Role(info.role)), key=f"role-{info.fingerprint}",
            help=term("role"), persist_state="session",
        )  # fmt: skip
        axes: list[int | None] = [None, *range(len(info.shape) if len(info.shape) > 1 else 0)]
        axis = st.selectbox(
            "Batches", axes, axes.index(info.batch_axis), key=batch_key(info),
            format_func=lambda a: _axis_words(a, info.shape), help=term("batch_axis"),
            persist_state="session",
        )  # fmt: skip
        for name, reason in list(item.source.skipped.items())[:5]:
            st.text(f"{name}: {reason}")
    return axis, str(role)


def _axis_words(axis: int | None, shape: tuple[int, ...]) -> str:
    return "one batch" if axis is None else f"axis {axis}: {shape[axis]:,} batches"
