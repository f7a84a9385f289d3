"""The popover that says what the tensor is, and lets role and batch axis be set."""

from __future__ import annotations

import streamlit as st

from qviz.figures.numbers import integer
from qviz.sources.base import TensorInfo
from qviz.spec import Role
from qviz.ui.choice import batch_key, shape_words
from qviz.ui.codes import codes_panel
from qviz.ui.library import Item
from qviz.ui.notices import plain, table_text
from qviz.ui.words import term


def facts_panel(item: Item) -> tuple[int | None, str]:
    """Batch axis and role as set on screen."""
    info = item.info
    with st.popover("About this tensor", icon=":material/info:", width="stretch"):
        st.text(info.name)
        if info.about:
            st.caption(plain(info.about))
        facts = {
            "elements": integer(info.size),
            "shape": shape_words(info.shape),
            "dtype": info.dtype,
            "file": table_text(item.source.title),
        }
        if info.qparams is not None:
            facts["stored"] = info.qparams.words
        st.dataframe(
            {"fact": list(facts), "value": list(facts.values())},
            hide_index=True,
            width="stretch",
            alt="Facts of the tensor",
        )
        left, right = st.columns(2)
        roles = list(Role)
        role = left.selectbox(
            "Role", roles, roles.index(Role(info.role)), key=f"role-{info.fingerprint}",
            help=term("role"), persist_state="session",
        )  # fmt: skip
        axes: list[int | None] = [None, *range(len(info.shape) if len(info.shape) > 1 else 0)]
        axis = right.selectbox(
            "Batches", axes, axes.index(info.batch_axis), key=batch_key(info),
            format_func=lambda a: _axis_words(a, info), help=term("batch_axis"),
            persist_state="session",
        )  # fmt: skip
        codes_panel(item)
        for name, reason in list(item.source.skipped.items())[:5]:
            st.text(f"{name}: {reason}")
    return axis, str(role)


def _axis_words(axis: int | None, info: TensorInfo) -> str:
    if axis is None:
        return f"as stored: {len(info.splits):,} batches" if info.splits else "one batch"
    return f"axis {axis}: {info.shape[axis]:,} batches"
