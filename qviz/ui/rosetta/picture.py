"""The picture: all rules in bands of equal answers, and the steps of two of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from qviz.figures.numbers import NOTHING, number
from qviz.figures.rosetta import rosetta
from qviz.figures.rosetta_parting import sentence
from qviz.figures.rosetta_steps import step_rows
from qviz.figures.rosetta_words import at_most, headline, hidden, letter, notice, share
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import Comparison
from qviz.rosetta.divergence import divergence
from qviz.ui.notices import palette, plain, plot
from qviz.ui.rosetta.asked import A, B, Subject, measured_on, pick
from qviz.ui.words import term

ROW = 35  # pixels of a table's row


def view(subject: Subject) -> tuple[str, str]:
    """Two rules, the picture, their steps; gives heading and caption."""
    left, right = st.columns(2)
    with left:
        first = pick(subject, "rosetta_a", A)
    with right:
        second = pick(subject, "rosetta_b", B)
    found = subject.compared(first)
    heading = headline(found)
    with st.container(key="wide-rosetta"):
        plot(rosetta(found, palette()), "rosetta-picture", heading, on_click=_take)
    with st.container(key="narrow-rosetta"):
        _narrow(found)
    a, b = subject.answer(first), subject.answer(second)
    parted, row = divergence(a, b, subject.x), found.row(second)
    steps = step_rows(a, b, parted)
    frame = pd.DataFrame(steps, columns=["Step", a.rule.title, b.rule.title + " ", "Compared"])
    st.dataframe(
        frame, hide_index=True, width="stretch", height=ROW * (len(frame) + 1) + 3,
        column_config={
            "Compared": st.column_config.TextColumn(help=term("rosetta_compared")),
            a.rule.title: st.column_config.TextColumn(help=_about(a)),
            b.rule.title + " ": st.column_config.TextColumn(help=_about(b)),
        },
        key="rosetta-steps", alt=f"Steps of {a.rule.title} and {b.rule.title}",
    )  # fmt: skip
    for one in (a, b):
        if one.refused:
            st.caption(plain(f"{one.rule.title}: {one.refused}"))
    said = f"{sentence(a, b, parted)} {notice(row) if row else ''}".strip()
    said = f"{said} Compared on {measured_on(subject)}."
    said = f"{said} Rules of one letter, one answer, agree there in every code and value."
    return heading, f"{said} {hidden(found)}".strip()


def _take(name: str) -> None:
    """A click on a row makes it the second rule."""
    if name is not None:
        st.session_state["rosetta_b"] = name


def _zero(given: Answer) -> str:
    """The stored zero point."""
    zero = given.zero_point
    if given.degenerate or zero is None:
        return given.degenerate or NOTHING
    return number(zero)


def _about(given: Answer) -> str:
    """What a rule is: the first lines of what its mode says of itself, and how it computes."""
    told = " ".join((type(given.rule.mode).__doc__ or "").split("\n\n", maxsplit=1)[0].split())
    return plain(f"{told} {given.rule.convention}".strip())


def _narrow(found: Comparison) -> None:
    """The same rows for a narrow screen."""
    frame = pd.DataFrame(
        [
            {
                "": letter(row.group),
                "Rule": row.answer.rule.title,
                "Zero pt": _zero(row.answer),
                "Codes": share(row.codes_differ),
                "Values": share(row.values_differ),
                "At most": at_most(row.at_most),
            }
            for row in found.rows
        ]
    )
    columns = {
        "": st.column_config.TextColumn(width=34),
        "Rule": st.column_config.TextColumn(width=130),
        "Zero pt": st.column_config.TextColumn(width=60),
        "Codes": st.column_config.TextColumn(width=62),
        "Values": st.column_config.TextColumn(width=62),
    }
    st.dataframe(
        frame, hide_index=True, width="stretch", height=ROW * (len(frame) + 1) + 3,
        column_config=columns, key="rosetta-narrow", alt="Rules by equal answers",
    )  # fmt: skip
