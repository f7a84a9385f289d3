"""Every row with its numbers: the table under the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from qviz.metrics.base import overall
from qviz.metrics.reading import Reading, read
from qviz.pipeline import Row
from qviz.ui.words import term

METRICS = (
    "clipped_share",
    "clipped_energy",
    "mse",
    "clip_mse",
    "round_mse",
    "sqnr_centered",
    "codes_used",
    "worst_channel",
)
SHARES = ("clipped_share", "clipped_energy")


def whole(row: Row, metric: str) -> Reading:
    """One metric of the whole tensor."""
    if row.totals is None:
        return Reading(None, row.refused or "", "exact")
    return read(metric, overall(row.totals), row.channels)[0]


def table(rows: Sequence[Row]) -> None:
    """The rows as they are sorted, one column per number, units in the header."""
    frame = pd.DataFrame([_cells(row) for row in rows])
    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        row_height=31,
        height=min(31 * (len(frame) + 1) + 8, 520),
        column_config=_columns(frame),
        alt="All rows of the comparison with their ranges, qparams and metrics",
        key="table",
    )


def _cells(row: Row) -> dict[str, object]:
    sqnr = whole(row, "sqnr")
    out: dict[str, object] = {
        "Observer": row.title,
        "SQNR dB": sqnr.value,
        "Lower": _one(row.range and row.range.lo),
        "Upper": _one(row.range and row.range.hi),
        "Scale": _one((row.qparams or {}).get("scale")),
        "Zero point": _one((row.qparams or {}).get("zero_point")),
    }
    out |= {name: _shown(name, whole(row, name).value) for name in METRICS}
    out["Numbers"] = row.refused or (sqnr.reason if sqnr.value is None else sqnr.made)
    return out


def _shown(name: str, value: float | None) -> float | None:
    """Shares as percent; everything else as it is."""
    return value if value is None or name not in SHARES else 100 * value


def _one(values: np.ndarray | None) -> float | None:
    """The value where there is one group; several groups have no single one."""
    return float(values[0]) if values is not None and len(values) == 1 else None


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    best = max([v for v in frame["SQNR dB"] if pd.notna(v)], default=1.0)
    wide = {
        "Observer": st.column_config.TextColumn(pinned=True, help=term("observer")),
        "SQNR dB": st.column_config.ProgressColumn(
            format="%.1f", min_value=0.0, max_value=max(float(best), 1.0), help=term("sqnr")
        ),
        "Lower": number(format="%.4g", help=term("lo")),
        "Upper": number(format="%.4g", help=term("hi")),
        "Scale": number(format="%.4g", help=term("scale")),
        "Zero point": number(format="%d", help=term("zero_point")),
        "clipped_share": number("Clipped %", format="%.3g", help=term("clipped_share")),
        "clipped_energy": number("of energy %", format="%.3g", help=term("clipped_energy")),
        "mse": number("MSE", format="%.3g", help=term("mse")),
        "clip_mse": number("of it clipping", format="%.3g", help=term("clip_mse")),
        "round_mse": number("of it rounding", format="%.3g", help=term("round_mse")),
        "sqnr_centered": number("Centred dB", format="%.1f", help=term("sqnr_centered")),
        "codes_used": number("Codes used", format="%d", help=term("codes_used")),
        "worst_channel": number("Worst channel dB", format="%.1f", help=term("worst_channel")),
        "Numbers": st.column_config.TextColumn(help=term("made")),
    }
    return {name: column for name, column in wide.items() if name in frame}
