"""Which rows are shown, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from qviz.models.alone import Sensitivity, ranked
from qviz.models.layers import LayerRow, worst_first
from qviz.ui.words import term

ROLES = {
    "main": "Weights, activations",
    "activation": "Activations",
    "weight": "Weights",
    "all": "Everything",
}
SORTS = {
    "cost": "What it costs",
    "sqnr": "SQNR",
    "ratio": "Channel ratio",
    "kurtosis": "Kurtosis",
    "order": "Network order",
}


@dataclass(frozen=True)
class Asked:
    """A part of a name, a kind of tensor, the highest SQNR, and the order."""

    find: str = ""
    roles: str = "main"
    below: float | None = None
    sort: str = "cost"


def asked() -> Asked:
    """The row of controls."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        find = find_box()
        roles = roles_box()
        below = st.number_input(
            "SQNR below, dB", 0.0, 200.0, None, 5.0, key="layers_below", placeholder="any",
            help=term("layers_below"), persist_state="session", width=150, format="%g",
        )  # fmt: skip
        sort = st.selectbox(
            "Sort by", list(SORTS), format_func=SORTS.__getitem__, key="layers_sort",
            help=term("layers_sort"), bind="query-params", width=170,
        )  # fmt: skip
    return Asked(find, roles, below, sort)


def find_box() -> str:
    """A part of a name, or of an operation."""
    return st.text_input(
        "Find", key="layers_find", placeholder="name or op", help=term("layers_find"),
        persist_state="session", width=210,
    )  # fmt: skip


def roles_box() -> str:
    """Weights, activations, or everything."""
    return st.selectbox(
        "Show", list(ROLES), format_func=ROLES.__getitem__, key="layers_roles",
        help=term("role"), bind="query-params", width=200,
    )  # fmt: skip


def filtered(rows: Sequence[LayerRow], question: Asked) -> list[LayerRow]:
    """Rows that fit; where no row has a role that is asked for, roles do not count."""
    wanted = {"main": ("weight", "activation"), "all": ()}.get(question.roles, (question.roles,))
    of_role = [row for row in rows if not wanted or row.role in wanted]
    if not of_role and question.roles == "main":
        of_role = list(rows)
    part = question.find.strip().lower()
    named = [r for r in of_role if part in r.name.lower() or part in (r.op or "").lower()]
    if question.below is None:
        return named
    return [row for row in named if row.sqnr is not None and row.sqnr < question.below]


def ordered(rows: list[LayerRow], sort: str, cost: Sensitivity | None) -> list[LayerRow]:
    """Rows with the worst on top; without a cost at the output the lowest SQNR is."""
    if sort == "order":
        return rows
    if sort in ("ratio", "kurtosis"):
        values = {r.name: r.channel_ratio if sort == "ratio" else r.kurtosis for r in rows}
        return sorted(rows, key=lambda row: -(values[row.name] or 0.0))
    worst = worst_first(rows)
    if sort == "sqnr" or cost is None:
        return worst
    place = {row.name: at for at, row in enumerate(ranked(cost.rows, cost.samples))}
    return sorted(worst, key=lambda row: place.get(row.name, len(place)))
