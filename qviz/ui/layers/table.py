"""The table of layers: find, filter, sort; a click chooses the tensor for every page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from qviz.figures.layers_words import caption, heading, loud_line
from qviz.models.layers import LayerRow, recurring
from qviz.models.scheme import Schemes
from qviz.ui.choice import shape_words
from qviz.ui.layers import alone, results
from qviz.ui.layers.filtering import Asked, asked, filtered, ordered
from qviz.ui.layers.picked import CELLS, Named, chosen, picker, rows_picker, table_key
from qviz.ui.layers.schemes import in_short
from qviz.ui.layers.subject import Subject
from qviz.ui.notices import plain, table_text
from qviz.ui.words import term

TALL, ROW = 520, 34  # pixels of the table at most, and of a row
FULL = 100  # height of the tallest bar


def controls(_: Subject | None) -> Asked:
    """What to find, which kinds, up to which SQNR, in which order."""
    return asked()


def view(found: Subject, schemes: Schemes, question: Asked) -> tuple[str, str]:
    """Draw it; gives heading and caption."""
    every = results.rows(found, schemes)
    cost = alone.known(found, schemes)
    shown = ordered(filtered(every, question), question.sort, cost)
    if shown:
        chosen(found, schemes)
        _table(shown, cost, found.name, picker(found, schemes))
    else:
        st.info("No tensor is left: take off the filter.", icon=":material/filter_alt_off:")
    _below(found, every, len(shown))
    about = f"{found.title}: {in_short(schemes)}."
    return heading(every, cost), caption(every, cost, about)


def _table(shown: Sequence[LayerRow], cost: Any, of: str, named: Named) -> None:
    names = [row.name for row in shown]
    key = table_key("layers-table", [of, *names])
    frame = pd.DataFrame([_cells(row, cost) for row in shown])
    frame = frame.drop(columns=[c for c in ("Op", "Note") if c in frame and not any(frame[c])])
    st.dataframe(
        frame, hide_index=True, width="stretch", row_height=ROW, key=key,
        height=min(ROW * (len(frame) + 1) + 6, TALL), column_config=_columns(frame, cost),
        on_select=rows_picker(key, names, named), selection_mode=("single-row", CELLS),
        placeholder="–", alt="A row for each tensor",
    )  # fmt: skip


def _cells(row: LayerRow, cost: Any) -> dict[str, Any]:
    used = 100 * row.codes_used / row.levels if row.codes_used is not None and row.levels else None
    out: dict[str, Any] = {
        "Layer": table_text(row.name),
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
        "SQNR": row.sqnr,
    }
    if cost is None:
        return out | {"Note": table_text(row.note)}
    one = next((a for a in cost.rows if a.name == row.name), None)
    if cost.accuracy is not None:
        share = None if one is None else one.alone.accuracy
        return out | {"Alone": None if share is None else 100 * share}
    return out | {"Alone": None if one is None else one.alone.sqnr}


def _tall(bars: tuple[float, ...]) -> np.ndarray | None:
    """Log counts as whole hundredths of the tallest: a byte each."""
    if not bars:
        return None
    tall = np.log1p(np.array(bars))
    return np.round(FULL * tall / (tall.max() or 1.0)).astype(np.uint8)


def _columns(frame: pd.DataFrame, cost: Any) -> dict[str, Any]:
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    wide = {
        "Layer": text(pinned=True, width=112, help=term("layers_layer")),
        "Op": text(width=84, help=term("layers_op")),
        "Role": text(width=74, help=term("role")),
        "Shape": text(width=88),
        "Histogram": st.column_config.BarChartColumn(
            width=76, y_min=0, y_max=FULL, help=term("layers_histogram")
        ),
        "Min": number(format="%.3g", width=56),
        "Max": number(format="%.3g", width=52),
        "Kurtosis": number(format="%.3g", width=66, help=term("layers_kurtosis")),
        "Ratio": number(format="%.3g", width=52, help=term("layers_ratio")),
        "Loud": number(format="%d", width=48, help=term("layers_loud")),
        "Codes": number(format="%.0f %%", width=56, help=term("layers_codes")),
        "SQNR": number("SQNR dB", format="%.1f", width=68, help=term("layers_sqnr")),
        "Note": text(width=104),
        "Alone": _bar(frame, cost),
    }
    return {name: column for name, column in wide.items() if name in frame}


def _bar(frame: pd.DataFrame, cost: Any) -> Any:
    bar = st.column_config.ProgressColumn
    if cost is not None and cost.accuracy is not None:
        return bar(
            "Right if alone", format="%.1f %%", min_value=0, max_value=100, width=108,
            help=term("layers_accuracy"),
        )  # fmt: skip
    values = frame["Alone"] if "Alone" in frame else ()
    known = [v for v in values if v is not None and math.isfinite(v)]
    return bar(
        "Output dB", format="%.1f", min_value=0, max_value=max([*known, 1.0]), width=108,
        help=term("layers_output"),
    )  # fmt: skip


def _below(found: Subject, every: Sequence[LayerRow], shown: int) -> None:
    for channel, names in recurring(every)[:3]:
        st.markdown(plain(loud_line(channel, names)))
    hidden = len(every) - shown
    words = [f"{shown} of {len(every)} tensors shown." if hidden else ""]
    skipped = found.source.skipped
    words.append(f"{len(skipped)} could not be taken." if skipped else "")
    if any(words):
        st.caption(" ".join(filter(None, words)))
    if skipped:
        with st.expander("What could not be taken, and why"):
            for name, reason in list(skipped.items())[:50]:
                st.caption(plain(f"{table_text(name)}: {reason}"))
