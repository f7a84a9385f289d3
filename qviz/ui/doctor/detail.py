"""The shown finding: its picture, its evidence, what repairs it, and where it is known from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from qviz.doctor import RULES, Finding
from qviz.figures.doctor import picture
from qviz.figures.doctor_repairs import repairs
from qviz.figures.doctor_words import WHERE, consequence, now_line, tried_line
from qviz.figures.numbers import number
from qviz.ui.choice import Choice
from qviz.ui.doctor import applying
from qviz.ui.doctor.asked import Asked
from qviz.ui.doctor.coding import code
from qviz.ui.doctor.subject import Seeing
from qviz.ui.notices import palette, plain, plot, table_text
from qviz.ui.words import term

LISTED = 8  # members of a list in the table of evidence


def panel(choice: Choice, question: Asked, seen: Seeing, finding: Finding) -> None:
    """Picture, repairs, buttons."""
    figure = picture(finding, seen.facts, palette())
    if figure is not None:
        plot(figure, "doctor-picture", f"{finding.rule}: {consequence(finding)}")
    else:
        _evidence(finding)
    _repairs(choice, seen, finding)
    with st.container(horizontal=True, gap="xsmall"):
        applying.button(choice, finding)
        with st.popover("Copy as code", icon=":material/content_copy:", help=term("doctor_code")):
            st.code(code(choice, question, seen, finding), language="python")
        _reports(finding)
    if figure is not None:
        with st.expander("The numbers behind it"):
            _evidence(finding)


def _repairs(choice: Choice, seen: Seeing, finding: Finding) -> None:
    if finding.fixes:
        where = WHERE.get(finding.fixes[0].measured_at, "on the tensor")
        st.markdown(f"**What repairs it**, measured {where}")
        figure = repairs(finding.fixes, palette(), finding.analysis)
        plot(figure, "doctor-repairs", "What each repair gains")
    words = [now_line(seen.facts), tried_line(finding.tried), seen.note]
    if any(words):
        st.caption(plain(" ".join(filter(None, words))))
    for note in applying.notes(choice, finding):
        st.caption(plain(note))


def _reports(finding: Finding) -> None:
    entry = RULES.entry(finding.rule)
    with st.popover("Reports", icon=":material/open_in_new:", help=term("doctor_reports")):
        st.markdown(f"**Fires when** {plain(entry.notes['fires'])}")
        st.markdown(f"**Severity** {plain(entry.notes['rated'])}")
        for report in entry.notes["reports"]:
            name, _, at = report.partition("#")
            st.markdown(f"[{plain(report)}](https://github.com/{name}/issues/{at})")


def _evidence(finding: Finding) -> None:
    """Every number of the finding, by name."""
    rows = [
        {"What": name.replace("_", " "), "Value": written(value)}
        for name, value in finding.evidence.items()
        if value is not None
    ]
    st.dataframe(
        pd.DataFrame(rows, columns=["What", "Value"]), hide_index=True, width="stretch",
        row_height=31, key=f"doctor-evidence-{finding.rule}",
        height=31 * (len(rows) + 1) + 8, alt="The numbers behind the finding",
    )  # fmt: skip


def written(value: Any) -> str:
    """A number, a text, or a list of both as a cell of the table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(float(value), 4)
    if isinstance(value, Mapping):
        return table_text(", ".join(f"{k} {written(v)}" for k, v in value.items()))
    if isinstance(value, list | tuple):
        text = ", ".join(written(part) for part in value[:LISTED])
        return f"{text} and {len(value) - LISTED} more" if len(value) > LISTED else text
    return table_text(str(value))
