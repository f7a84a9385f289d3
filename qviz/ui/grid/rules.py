"""The table of all rules: where each one takes the element, and how."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from qviz.figures.numbers import number as number_text
from qviz.figures.why_words import camps
from qviz.pipeline.element import Why
from qviz.pipeline.element_rules import DOWN, STAY, UP, Answer
from qviz.ui.notices import plain
from qviz.ui.words import term

GOES = {DOWN: "▼ down", STAY: "stays", UP: "▲ up"}
ROW = 31  # pixels


def rules_table(why: Why) -> None:
    """One row per rule that accepts the target, by result; the others are named below."""
    frame = pd.DataFrame([_cells(answer, why) for answer in why.answers])
    number = st.column_config.NumberColumn
    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        row_height=ROW,
        height=min(ROW * (len(frame) + 1) + 8, ROW * 15),
        column_config={
            "Rule": st.column_config.TextColumn(pinned=True, width=150),
            "Goes": st.column_config.TextColumn(width=84, help=term("goes")),
            "How it gets there": st.column_config.TextColumn(width=322, help=term("formula")),
            "Zero point": st.column_config.TextColumn(
                width=84, help=term("from_lowest"), alignment="right"
            ),
            "Code": number(format="%d", width=64, help=term("from_lowest")),
            "Result": number(format="%.7g", width=110),
            "Error": number(format="%.3g", width=92),
        },
        alt=f"{len(frame)} rules with {len(camps(why))} different results",
        key="grid-rules",
    )
    if why.refused:
        names = ", ".join(one.title for one in why.refused)
        st.caption(plain(f"Not asked, since they do not serve these codes or groups: {names}."))


def coding(formula: str) -> str:
    """The part of a formula that makes the code.

    >>> coding("q = round(x / scale); x' = q * scale; float32")
    'round(x / scale)'
    """
    return formula.partition("; x'")[0].removeprefix("q = ")


def _cells(answer: Answer, why: Why) -> dict[str, object]:
    mark = "● " if answer.rule == why.chosen.rule else ""
    goes = GOES.get(answer.goes, "–") if answer.result is not None else "no number"
    if answer.clipped and answer.goes in (DOWN, UP):
        goes = f"{goes[0]} clipped"
    return {
        "Rule": mark + answer.title,
        "Goes": goes,
        "How it gets there": coding(answer.formula) or "–",
        "Zero point": number_text(answer.zero_point, 5),
        "Code": answer.code,
        "Result": answer.result,
        "Error": answer.error,
    }
