"""Which rule made these codes: a tensor of values beside a tensor of integers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.numbers import NOTHING, integer, number, percent
from qviz.figures.rosetta_words import span
from qviz.rosetta.answers import Answer
from qviz.rosetta.extent import row_of
from qviz.rosetta.identifying import Match, identified
from qviz.ui.library import Item, items
from qviz.ui.rosetta.asked import B, Subject, measured_on, pick
from qviz.ui.words import term

HERE = "(made here)"
MOST = 20_000_000  # elements that are looked at on the page
ROW = 35


def view(subject: Subject) -> tuple[str, str]:
    """Choose the codes, name the rules; gives heading and caption."""
    item = subject.choice.item
    known = _candidates(item)
    left, right = st.columns(2)
    with left:
        chosen = st.selectbox(
            "Codes", [HERE, *known], key=f"rosetta-codes-{item.info.fingerprint}",
            format_func=lambda i: "Codes made here by" if i == HERE else known[i].label,
            help=term("rosetta_codes"), label_visibility="collapsed", persist_state="session",
        )  # fmt: skip
    if chosen == HERE:
        with right:
            maker = subject.answer(pick(subject, "rosetta_maker", B))
        x, codes = _made(subject, maker)
    else:
        x, codes = _given(item, known[chosen])
    matches = identified(subject.answers, x, codes)
    _table(matches)
    other = None if chosen == HERE else known[chosen]
    caption = _caption(subject, matches[0].elements, other)
    if not known:
        caption += " Open a device's integers as a second tensor."
    return _heading(matches), caption


def _caption(subject: Subject, count: int, other: Item | None) -> str:
    """What was compared: values and codes that are there, or codes that were made here."""
    rules = f"{len(subject.answers)} rules on the range {span(subject.lo, subject.hi)}"
    if other is None:
        return f"Codes of {measured_on(subject)}, against {len(subject.answers)} rules."
    said = f"{integer(count)} values of {subject.choice.about} and their codes, against {rules}."
    if subject.typed:
        return said
    return f"{said} That is the values' own: of a probe, type the range that it was made for."


def _candidates(item: Item) -> dict[str, Item]:
    """Tensors of the same number of elements and shape that can hold codes."""
    return {
        i: other
        for i, other in items().items()
        if other.info.shape == item.info.shape and i != item.id and "int" in other.info.dtype
    }


def _made(subject: Subject, maker: Answer) -> tuple[np.ndarray, np.ndarray]:
    if maker.quantizer is None:
        raise QvizError(f"{maker.rule.title} makes no codes on this range.", maker.refused or "")
    with np.errstate(all="ignore"):
        codes = np.asarray(maker.quantizer.quantize(subject.x[None]), np.float64)[0]
    return subject.x, codes


def _given(item: Item, other: Item) -> tuple[np.ndarray, np.ndarray]:
    if item.info.size > MOST:
        raise QvizError(
            f"{integer(item.info.size)} elements are too many for the page.",
            "Every code is compared with every rule.",
            "Save a slice of both tensors and open that.",
        )
    return row_of(item.array()), row_of(other.array())


def _heading(matches: tuple[Match, ...]) -> str:
    exact = [match.answer.rule.title for match in matches if match.exact]
    if not exact:
        best = matches[0]
        if best.moved:
            return _moved(best)
        share = percent(best.differing / best.elements)
        return f"No rule makes these codes; {best.answer.rule.title} comes closest, {share} differ"
    if len(exact) == 1:
        return f"{exact[0]} made these codes: no other rule does"
    more = f" and {len(exact) - 2} more" if len(exact) > 2 else ""
    return f"{exact[0]}, {exact[1]}{more} make exactly these codes"


def _moved(best: Match) -> str:
    """The closest rule, whose zero point alone is another one."""
    title, zero, by = best.answer.rule.title, best.answer.zero_point, best.moved
    steps = f"{abs(by)} {'higher' if by > 0 else 'lower'}"
    told = "" if zero is None else f": {number(zero + by)}, not {number(zero)}"
    return f"No rule makes these codes; {title} does with a zero point {steps}{told}"


def _table(matches: tuple[Match, ...]) -> None:
    frame = pd.DataFrame([_cells(match) for match in matches])
    st.dataframe(
        frame, hide_index=True, width="stretch", height=min(ROW * (len(frame) + 1) + 3, 420),
        column_config={
            "Shifted by": st.column_config.NumberColumn(help=term("rosetta_shift")),
            "Zero point off by": st.column_config.TextColumn(help=term("rosetta_moved")),
        },
        key="rosetta-matches", alt="Rules that make these codes",
    )  # fmt: skip


def _cells(match: Match) -> dict[str, object]:
    cells: dict[str, object] = {"Rule": match.answer.rule.title}
    if match.differing:
        cells["Codes that differ"] = match.differing
        cells["Zero point off by"] = integer(match.moved) if match.moved else NOTHING
        cells["Mean difference"] = number(match.bias)
        cells["First at index"] = match.first
    else:
        cells["Shifted by"] = match.shift
    return cells | {"How it computes": match.answer.rule.convention}
