"""The columns of the table of layers: what stands in them, how wide they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from qviz.figures.layers_names import Names, told_apart
from qviz.models.alone import Outcome, Sensitivity
from qviz.models.layers import LayerRow
from qviz.ui.choice import shape_words
from qviz.ui.notices import table_text
from qviz.ui.words import term

FULL = 100  # height of the tallest bar
STUB = 0.05  # of a column of bars: what the lowest keeps
ROUGH = "≈"  # read off a sketch
ALL, SIGN = 976, 7  # pixels of all columns in a window of 1440, and of a character
WIDE = {  # pixels of all columns but the first
    **{"Op": 80, "Role": 74, "Shape": 88, "Histogram": 76, "Min": 56, "Max": 52, "Kurtosis": 66},
    **{"Ratio": 52, "Loud": 48, "Codes": 56, ROUGH: 24, "SQNR": 68, "Note": 104, "Alone": 98},
}


def names_of(rows: Sequence[LayerRow], cost: Sensitivity | None) -> Names:
    """Names that fit the room the other columns leave."""
    return told_apart([row.name for row in rows], (_room(rows, cost) - 16) // SIGN)


def _room(rows: Sequence[LayerRow], cost: Sensitivity | None) -> int:
    """Pixels of the first column."""
    there = sum(WIDE[name] for name in WIDE if name not in _silent(rows, cost))
    return min(max(ALL - there, 110), 300)


def _silent(rows: Sequence[LayerRow], cost: Sensitivity | None) -> set[str]:
    """Columns in which nothing would stand."""
    said = {
        "Op": any(row.op for row in rows),
        ROUGH: mixed(rows),
        "Note": cost is None and any(row.note for row in rows),
        "Alone": cost is not None,
    }
    return {name for name, there in said.items() if not there}


def frame_of(
    rows: Sequence[LayerRow], labels: Mapping[str, str], cost: Sensitivity | None
) -> pd.DataFrame:
    """A row for each tensor; columns that say nothing are left out."""
    alone = {} if cost is None else {one.name: one.alone for one in cost.rows}
    right = cost is not None and cost.accuracy is not None
    made = [
        _cells(row, labels[row.name]) | {"Alone": _left(alone.get(row.name), right)} for row in rows
    ]
    return pd.DataFrame(made).drop(columns=list(_silent(rows, cost)))


def _left(one: Outcome | None, right: bool) -> float | None:
    """What is left of the output: percent of right answers, or dB."""
    if one is None:
        return None
    if not right:
        return one.sqnr
    return None if one.accuracy is None else 100 * one.accuracy


def mixed(rows: Sequence[LayerRow]) -> bool:
    """Whether some SQNRs are exact and some read off a sketch: each then says which."""
    return len({row.exact for row in rows if row.sqnr is not None}) > 1


def _cells(row: LayerRow, label: str) -> dict[str, Any]:
    used = 100 * row.codes_used / row.levels if row.codes_used is not None and row.levels else None
    return {
        "Layer": table_text(label),
        "Op": table_text((row.op or "").replace("Normalization", "Norm")),
        "Role": row.role,
        "Shape": shape_words(row.shape).replace(" × ", "×"),
        "Histogram": _tall(row.bars),
        "Min": row.min,
        "Max": row.max,
        "Kurtosis": row.kurtosis,
        "Ratio": row.channel_ratio,
        "Loud": row.worst_channel,
        "Codes": used,
        ROUGH: "" if row.exact or row.sqnr is None else ROUGH,
        "SQNR": row.sqnr,
        "Note": table_text(row.note),
    }


def _tall(bars: tuple[float, ...]) -> np.ndarray | None:
    """Log counts as whole hundredths of the tallest: a byte each."""
    if not bars:
        return None
    tall = np.log1p(np.array(bars))
    return np.round(FULL * tall / (tall.max() or 1.0)).astype(np.uint8)


def columns(
    frame: pd.DataFrame, rows: Sequence[LayerRow], cost: Sensitivity | None
) -> dict[str, Any]:
    """Their titles, widths and help; together at most ``ALL`` pixels wide."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    short = partial(number, format="%.3g")
    made = {
        "Layer": text(pinned=True, width=_room(rows, cost), help=term("layers_layer")),
        "Op": text(width=WIDE["Op"], help=term("layers_op")),
        "Role": text(width=WIDE["Role"], help=term("role")),
        "Shape": text(width=WIDE["Shape"]),
        "Histogram": st.column_config.BarChartColumn(
            width=WIDE["Histogram"], y_min=0, y_max=FULL, help=term("layers_histogram")
        ),
        "Min": short(width=WIDE["Min"]),
        "Max": short(width=WIDE["Max"]),
        "Kurtosis": short(width=WIDE["Kurtosis"], help=term("layers_kurtosis")),
        "Ratio": short(width=WIDE["Ratio"], help=term("layers_ratio")),
        "Loud": number(format="%d", width=WIDE["Loud"], help=term("layers_loud")),
        "Codes": number(format="%.0f %%", width=WIDE["Codes"], help=term("layers_codes")),
        ROUGH: text(width=WIDE[ROUGH], help=term("layers_rough")),
        "SQNR": _sqnr(rows, WIDE["SQNR"]),
        "Note": text(width=WIDE["Note"]),
        "Alone": _alone(frame, cost),
    }
    return {name: column for name, column in made.items() if name in frame}


def _sqnr(rows: Sequence[LayerRow], width: int) -> Any:
    """SQNR in dB; the title says where all are read off a sketch."""
    rough = [not row.exact for row in rows if row.sqnr is not None]
    some, every = any(rough), bool(rough) and all(rough)
    told = term("layers_sqnr") + (f" {ROUGH}: {term('layers_rough')}" if some else "")
    title = f"SQNR {ROUGH}" if every else "SQNR dB"
    return st.column_config.NumberColumn(title, format="%.1f", width=width, help=told)


def _alone(frame: pd.DataFrame, cost: Sensitivity | None) -> Any:
    bar = st.column_config.ProgressColumn
    if cost is not None and cost.accuracy is not None:
        return bar(
            "Right if alone", format="%.1f %%", min_value=0, max_value=100, width=WIDE["Alone"],
            help=term("layers_accuracy"),
        )  # fmt: skip
    low, high = bar_ends(frame["Alone"] if "Alone" in frame else ())
    return bar(
        "Output dB", format="%.1f", min_value=low, max_value=high, width=WIDE["Alone"],
        help=term("layers_output"),
    )  # fmt: skip


def few_columns(rows: Sequence[LayerRow], cost: Sensitivity | None) -> dict[str, Any]:
    """Those that a phone holds side by side: the name, its SQNR, what it costs alone."""
    number = st.column_config.NumberColumn
    right = cost is not None and cost.accuracy is not None
    title, told = ("Alone", "layers_accuracy") if right else ("Output dB", "layers_output")
    alone = number(title, format="%.1f %%" if right else "%.1f", width=78, help=term(told))
    return {
        "Layer": st.column_config.TextColumn(width=150, help=term("layers_layer")),
        ROUGH: st.column_config.TextColumn(width=22, help=term("layers_rough")),
        "SQNR": _sqnr(rows, 66),
        "Alone": alone,
    }


def bar_ends(values: Iterable[float | None]) -> tuple[float, float]:
    """Ends of a column of bars in dB, the lower one below 0 and all values: each has a bar."""
    known = [v for v in values if v is not None and math.isfinite(v)]
    high, low = max([*known, 1.0]), min([*known, 0.0])
    return low - STUB * (high - low), high
