"""The table of all rules: where each one takes the element, and how."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from qviz.figures.numbers import NOTHING, integer, number
from qviz.figures.why_words import camps, cell
from qviz.pipeline.element import Why
from qviz.pipeline.element_rules import DOWN, STAY, UP, Answer
from qviz.ui.notices import plain
from qviz.ui.words import term

GOES = {DOWN: "▼ down", STAY: "stays", UP: "▲ up"}
TIES = ("even", "away", "up")  # named where a formula only says round
ROW = 31  # pixels


def rules_table(why: Why) -> None:
    """One row per rule that accepts the target, by result; the others are named below."""
    frame = pd.DataFrame([_cells(answer, why) for answer in why.answers])
    text = st.column_config.TextColumn
    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        row_height=ROW,
        height=min(ROW * (len(frame) + 1) + 8, ROW * 15),
        column_config={
            "Rule": text(pinned=True, width=156),
            "Result": text(width=104, alignment="right"),
            "Error": text(width=88, alignment="right"),
            "Goes": text(width=84, help=term("goes")),
            "Code": text(width=58, help=term("from_lowest"), alignment="right"),
            "Zero point": text(width=78, help=term("from_lowest"), alignment="right"),
            "How it gets there": text(width=410, help=term("formula")),
        },
        alt=f"{len(frame)} rules with {len(camps(why))} different results",
        key="grid-rules",
    )
    if why.refused:
        names = ", ".join(one.title for one in why.refused)
        st.caption(plain(f"Not asked, since they do not serve these codes or groups: {names}."))


def coding(formula: str, tie: str = "") -> str:
    """The part of a formula that makes the code; the rule for ties stands in it.

    >>> coding("q = round(x / scale); x' = q * scale; float32", "away")
    'round_away(x / scale)'
    """
    made = formula.partition(";")[0].removeprefix("q = ").removeprefix("x' = ")
    return made.replace("round(", f"round_{tie}(") if tie in TIES else made


def _cells(answer: Answer, why: Why) -> dict[str, object]:
    mark = "● " if answer.rule == why.chosen.rule else ""
    goes = GOES.get(answer.goes, "–") if answer.result is not None else "no number"
    if answer.clipped and answer.goes in (DOWN, UP):
        goes = f"{goes[0]} clipped"
    return {
        "Rule": mark + answer.title,
        "Result": cell(answer.result, 7),
        "Error": cell(answer.error, 3),
        "Goes": goes,
        "Code": integer(answer.code),
        "Zero point": number(answer.zero_point, 5),
        "How it gets there": coding(answer.formula, answer.tie) or NOTHING,
    }
