"""Two rows kept aside, A and B, from any tensor or scheme, set side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from qviz.figures.numbers import decibels, interval, number, percent
from qviz.pipeline import Row
from qviz.ui.choice import Choice
from qviz.ui.notices import plain
from qviz.ui.table import whole
from qviz.ui.words import term

SLOTS = ("A", "B")


@dataclass(frozen=True)
class Pin:
    """A row's numbers as they were when it was pinned."""

    tensor: str
    scheme: str
    observer: str
    range: str
    scale: str
    zero_point: str
    clipped_energy: str
    mse: str
    sqnr: float | None

    @staticmethod
    def of(choice: Choice, row: Row) -> Pin:
        """The numbers of one row under the current choice."""
        scale, zero = (_one(row, name) for name in ("scale", "zero_point"))
        shown = row.range or row.covered
        single = shown is not None and len(shown.lo) == 1
        return Pin(
            choice.item.label,
            choice.scheme,
            row.title,
            interval(shown.lo[0], shown.hi[0]) if shown is not None and single else "per group",
            number(scale),
            number(zero),
            percent(whole(row, "clipped_energy").value),
            number(whole(row, "mse").value),
            whole(row, "sqnr").value,
        )


def _one(row: Row, name: str) -> float | None:
    values = (row.qparams or {}).get(name)
    return float(values[0]) if values is not None and len(values) == 1 else None


def panel(choice: Choice, rows: Sequence[Row], highlights: list[str]) -> None:
    """Buttons that pin, and both pins as columns of one table."""
    served = {row.spelling: row for row in rows if row.refused is None}
    names = [*[s for s in highlights if s in served], *[s for s in served if s not in highlights]]
    if not names:
        st.info("No row can be pinned here.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        spelling = st.selectbox(
            "Row", names, format_func=lambda s: served[s].title, key="pin_row", help=term("pin"),
            width=260,
        )  # fmt: skip
        pin = Pin.of(choice, served[spelling])
        for slot in SLOTS:
            st.button(f"Pin {slot}", on_click=_set, args=(slot, pin), icon=":material/push_pin:")
    pinned = {slot: st.session_state.get(f"pin-{slot}") for slot in SLOTS}
    if not any(pinned.values()):
        st.info("Pin a row as A, change the tensor, the codes or the observer, then pin B.")
        return
    _compare(pinned)


def _set(slot: str, pin: Pin) -> None:
    st.session_state[f"pin-{slot}"] = pin


def _compare(pinned: dict[str, Pin | None]) -> None:
    a, b = (pinned[slot] for slot in SLOTS)
    if a is not None and b is not None and a.sqnr is not None and b.sqnr is not None:
        st.markdown(f"**{plain(_verdict(b.sqnr - a.sqnr))}** (SQNR of each tensor)")
    fields = [f for f in Pin.__dataclass_fields__ if f != "sqnr"]
    columns = {"": [term_label(f) for f in (*fields, "sqnr")]}
    for slot, pin in pinned.items():
        if pin is not None:
            values = [getattr(pin, f) for f in fields]
            columns[slot] = [*values, "–" if pin.sqnr is None else decibels(pin.sqnr)]
    st.dataframe(pd.DataFrame(columns), hide_index=True, width="stretch", alt="Pinned rows A and B")


def _verdict(gain: float) -> str:
    """What B gains over A, in words; below half of the last digit there is none."""
    if abs(gain) < 0.05:
        return "A and B are alike"
    return f"{'B' if gain > 0 else 'A'} is better by {decibels(abs(gain))}"


def term_label(name: str) -> str:
    """Row label of a field."""
    return {"sqnr": "SQNR", "mse": "MSE"}.get(name, name.replace("_", " ").capitalize())
