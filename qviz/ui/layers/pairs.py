"""Two sets of tensors side by side: what differs in each tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from qviz.figures.layers_names import told_apart
from qviz.figures.layers_pairs_words import pairs_caption, pairs_heading
from qviz.figures.theme import LONGEST
from qviz.models.pairs import Pair, Pairs
from qviz.models.scheme import Schemes
from qviz.ui.choice import shape_words
from qviz.ui.files import opened
from qviz.ui.layers import comparing
from qviz.ui.layers.columns import bar_ends
from qviz.ui.layers.picked import CELLS, Named, chosen, picker, rows_picker, table_key
from qviz.ui.layers.subject import Subject, choices, name_of, pick, title
from qviz.ui.notices import plain, table_text
from qviz.ui.words import term

ONE_ONLY = "Open a second file, or run the other network, to set it beside this one."
BELOW = "Below 0: the difference is larger than the tensor."
NOT_KEPT = "were not kept"  # in the reason of a pair without values
WAY_OUT = "To compare values, capture it with --values, or run the model here."
KEY = "layers_other"
ROW = 31  # pixels of a row
LABEL, NARROW = 30, 20  # characters of a name, on a wide screen and on a phone


def controls(found: Subject | None) -> str | None:
    """The box that chooses the other set; None where there is none."""
    if found is None:
        return None
    others = [id for id in choices() if (n := name_of(id)) in opened() and n != found.name]
    if not others:
        return None
    return st.selectbox(
        "Beside", others, format_func=title, key=f"{KEY}-{found.name}", help=term(KEY), width=420
    )


def view(found: Subject, schemes: Schemes, other: str | None) -> tuple[str, str]:
    """Draw the pairs; gives heading and caption."""
    if other is None:
        st.info(ONE_ONLY, icon=":material/compare_arrows:")
        _offer()
        return "Pairs need a second set of tensors", f"{found.title}, tensor by tensor."
    pair = comparing.compared(found, other)
    if pair is None:
        return comparing.meanwhile(found, other)
    if pair.rows:
        chosen(found, schemes)
        shown, named = pair.worst_first(), picker(found, schemes)
        with st.container(key="wide-layers-pairs"):
            said = _table(shown, named)
        with st.container(key="narrow-layers-pairs"):
            _few(shown, named)
        if said:
            st.caption(plain(f"{said}."))
    about = f"{pairs_caption(pair, found.title, title(other))} {_way_out(pair)}".strip()
    return pairs_heading(pair, title(other)), about


def _way_out(pair: Pairs) -> str:
    """What to do where values were not kept that a comparison needs."""
    kept = not any(row.sqnr is None and NOT_KEPT in row.note for row in pair.rows)
    return "" if kept else WAY_OUT


def _whole(reason: str) -> str:
    """As many of its sentences as a cell holds, none of them cut in the middle."""
    sentences = reason.split(". ")
    told = [". ".join(sentences[:count]) for count in range(1, len(sentences) + 1)]
    told = [words if words.endswith(".") else f"{words}." for words in told]
    return max((w for w in told if len(w) <= LONGEST), key=len, default=told[0])


def _offer() -> None:
    """A button for each bundled network that has not been run."""
    with st.container(horizontal=True):
        for id in choices():
            if name_of(id) not in opened():
                st.button(
                    f"Run {title(id)}", key=f"layers_pair-{id}", icon=":material/play_arrow:",
                    on_click=pick, args=(id,),
                )  # fmt: skip


def _table(shown: Sequence[Pair], named: Named) -> str:
    """Draw it; gives what its names leave out."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    names = told_apart([row.name for row in shown], LABEL)
    frame = pd.DataFrame([_cells(row, names.labels[row.name]) for row in shown])
    frame = frame if any(frame["Beside"]) else frame.drop(columns="Beside")
    low, high = bar_ends(frame["SQNR dB"])
    key = table_key("layers-pairs", [row.name for row in shown])
    st.dataframe(
        frame, selection_mode=CELLS, alt="A row for each pair of tensors",
        **_shared(key, shown, named),
        column_config={
            "Tensor": text(pinned=True, width=210),
            "Beside": text(width=150),
            "Shape": text(width=100),
            "Note": text(width=220),
            "SQNR dB": st.column_config.ProgressColumn(
                format="%.1f", min_value=low, max_value=high, help=term("layers_pair")
            ),
            "Largest difference": number(format="%.2e", width=140),
        },
    )  # fmt: skip
    return names.words


def _few(shown: Sequence[Pair], named: Named) -> None:
    """The columns that a phone holds."""
    number, names = st.column_config.NumberColumn, [row.name for row in shown]
    labels = told_apart(names, NARROW).labels
    cells = [_cells(row, labels[row.name]) for row in shown]
    frame = pd.DataFrame(cells)[["Tensor", "SQNR dB", "Largest difference"]]
    st.dataframe(
        frame, selection_mode=CELLS, alt="A row for each pair of tensors: what differs",
        **_shared(table_key("layers-pairs-few", names), shown, named),
        column_config={
            "Tensor": st.column_config.TextColumn(width=150),
            "SQNR dB": number(format="%.1f", width=70, help=term("layers_pair")),
            "Largest difference": number("Largest", format="%.1e", width=80),
        },
    )  # fmt: skip


def _shared(key: str, shown: Sequence[Pair], named: Named) -> dict[str, Any]:
    """Settings of both tables."""
    return {
        "key": key, "hide_index": True, "width": "stretch", "row_height": ROW,
        "placeholder": "–", "height": min(ROW * (len(shown) + 1) + 6, 560),
        "on_select": rows_picker(key, [row.name for row in shown], named),
    }  # fmt: skip


def _cells(row: Pair, label: str) -> dict[str, Any]:
    below = row.sqnr is not None and row.sqnr < 0
    return {
        "Tensor": table_text(label),
        "Beside": "" if row.other == row.name else table_text(row.other),
        "Role": row.role,
        "Shape": shape_words(row.shape).replace(" × ", "×"),
        "SQNR dB": row.sqnr,
        "Largest difference": row.max_difference,
        "Note": BELOW if below else table_text(_whole(row.note)) if row.note else "",
    }
