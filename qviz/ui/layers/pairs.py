"""Two sets of tensors side by side: what differs in each tensor."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from qviz.figures.layers_pairs_words import pairs_caption, pairs_heading
from qviz.models.pairs import Pairs
from qviz.models.scheme import Schemes
from qviz.ui.choice import shape_words
from qviz.ui.files import opened
from qviz.ui.layers import results
from qviz.ui.layers.picked import CELLS, Named, chosen, picker, rows_picker, table_key
from qviz.ui.layers.subject import Subject, choices, name_of, pick, title
from qviz.ui.notices import table_text
from qviz.ui.words import term

ONE_ONLY = "Open a second file, or run the other network, to set it beside this one."
KEY = "layers_other"


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
    pair = results.paired(found.source, opened()[name_of(other)].source)
    if pair.rows:
        chosen(found, schemes)
        _table(pair, picker(found, schemes))
    return pairs_heading(pair, title(other)), pairs_caption(pair, found.title, title(other))


def _offer() -> None:
    """A button for each bundled network that has not been run."""
    with st.container(horizontal=True):
        for id in choices():
            if name_of(id) not in opened():
                st.button(
                    f"Run {title(id)}", key=f"layers_pair-{id}", icon=":material/play_arrow:",
                    on_click=pick, args=(id,),
                )  # fmt: skip


def _table(pair: Pairs, named: Named) -> None:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    shown = pair.worst_first()
    names = [row.name for row in shown]
    key = table_key("layers-pairs", names)
    frame = pd.DataFrame(
        [
            {
                "Tensor": table_text(row.name),
                "Beside": "" if row.other == row.name else table_text(row.other),
                "Role": row.role,
                "Shape": shape_words(row.shape),
                "SQNR dB": row.sqnr,
                "Largest difference": row.max_difference,
                "Note": table_text(row.note),
            }
            for row in shown
        ]
    )
    frame = frame if any(frame["Beside"]) else frame.drop(columns="Beside")
    best = max([row.sqnr for row in pair.rows if row.sqnr is not None], default=1.0)
    st.dataframe(
        frame, hide_index=True, width="stretch", row_height=31, key=key,
        on_select=rows_picker(key, names, named),
        selection_mode=("single-row", CELLS), alt="A row for each pair of tensors",
        height=min(31 * (len(frame) + 1) + 6, 560),
        column_config={
            "Tensor": text(pinned=True, width=170),
            "Beside": text(width=150),
            "Note": text(width=220),
            "SQNR dB": st.column_config.ProgressColumn(
                format="%.1f", min_value=0.0, max_value=max(best, 1.0), help=term("layers_pair")
            ),
            "Largest difference": number(format="%.2e", width=140),
        },
    )  # fmt: skip
