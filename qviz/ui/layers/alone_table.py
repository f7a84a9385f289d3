"""The table of what each layer costs alone, for a phone."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from qviz.figures.layers_alone import shown_rows
from qviz.models.alone import Sensitivity
from qviz.ui.layers.picked import CELLS, Named, rows_picker, table_key
from qviz.ui.notices import table_text


def alone_table(cost: Sensitivity, named: Named, beside: Sensitivity | None) -> None:
    """A row for each layer; with ``beside`` also what a step for each channel leaves."""
    number, shown = st.column_config.NumberColumn, shown_rows(cost)
    names = [row.name for row in shown]
    key = table_key("layers-alone-table", names)
    frame = pd.DataFrame(
        [
            {
                "Layer": table_text(row.name),
                "dB alone": row.alone.sqnr,
                "alone %": _percent(row.alone.accuracy),
                **_other(row.name, beside),
                "up to %": _percent(row.upto and row.upto.accuracy),
                "all but %": _percent(row.but and row.but.accuracy),
            }
            for row in shown
        ]
    ).dropna(axis="columns", how="all")
    st.dataframe(
        frame, hide_index=True, width="stretch", row_height=33, key=key, selection_mode=CELLS,
        on_select=rows_picker(key, names, named),
        alt="What each layer costs alone", height=33 * (len(frame) + 1) + 6,
        column_config={c: number(format="%.1f", width=60) for c in frame.columns[1:]}
        | {"Layer": st.column_config.TextColumn(width=116)},
    )  # fmt: skip


def _other(name: str, beside: Sensitivity | None) -> dict[str, float | None]:
    """The same with a step for each channel: what is right, without labels dB."""
    if beside is None:
        return {}
    one = next((row.alone for row in beside.rows if row.name == name and not row.note), None)
    if beside.accuracy is None:
        return {"ch. dB": one and one.sqnr}
    return {"ch. %": _percent(one and one.accuracy)}


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
