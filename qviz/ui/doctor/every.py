"""All tensors of the same file: the worst finding of each, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from qviz.figures.doctor_consequences import many
from qviz.figures.doctor_words import all_heading, badge
from qviz.figures.theme import clean
from qviz.observers.base import OBSERVERS
from qviz.sources.base import TensorInfo
from qviz.sources.synthetic import Samples
from qviz.ui.choice import Choice
from qviz.ui.doctor.asked import CODES, Asked
from qviz.ui.doctor.looking import Looked, looked
from qviz.ui.doctor.running import VIEW
from qviz.ui.doctor.subject import Seeing
from qviz.ui.library import Item, items
from qviz.ui.notices import plain, table_text
from qviz.ui.words import term

VIEWS = {"one": "This tensor", "all": "All tensors"}
FLOATS = ("float", "bfloat")
KNOWN = "Right now %", "Output dB"  # columns of which one is shown where a model was run
HINT = (
    "Click a row to see the tensor's findings. Vectors of a model stay wide as a rule: of them "
    "only NaN and infinities are told."
)
TALL, ROW = 520, 34  # pixels of the table at most, and of a row


def switch(choice: Choice) -> bool:
    """Whether all tensors are looked at; the switch stands where there are several."""
    if len(_members(choice)) < 2:
        return False
    return "all" == st.segmented_control(
        "Look at", list(VIEWS), default="one", format_func=VIEWS.__getitem__, key=VIEW,
        help=term("doctor_view"), bind="query-params", required=True,
    )  # fmt: skip


def _members(choice: Choice) -> list[Item]:
    """Tensors of the same file that can be examined."""
    if isinstance(choice.item.source, Samples):
        return []
    return [
        item for item in items().values()
        if item.source is choice.item.source and _fits(item.info)
    ]  # fmt: skip


def _fits(info: TensorInfo) -> bool:
    return not info.parameter and (info.dtype.startswith(FLOATS) or info.dtype in CODES)


def view(choice: Choice, question: Asked, head: Any) -> None:
    """The table; what took too long is left for another run."""
    members = _members(choice)
    made = looked(members, question)
    head.markdown(f"### {plain(all_heading([one.found for one in made.ranked]))}")
    rule = OBSERVERS.title_of(question.observer)
    name = clean(choice.item.id.partition("::")[0])
    about = f"{name}, {len(made.ranked)} of {len(members)} tensors; {choice.scheme}, {rule}."
    head.caption(plain(f"{about} {_at_output(made, question)}".strip()))
    if made.left:
        words = f"Go on with {made.left} more"
        st.button(words, key="doctor_go_on", icon=":material/play_arrow:")
    if made.ranked:
        _table(made.ranked, {item.id: item for item in members})
    notes = dict.fromkeys(one.note for one in made.ranked if one.note)
    st.caption(plain(" ".join((HINT, *notes))))


def _at_output(made: Looked, question: Asked) -> str:
    """Of how many tensors gains and losses are those at the model's output."""
    count = sum(one.facts.now is not None for one in made.ranked)
    if not question.output or not count:
        return ""
    return f"The model ran for {many(count, 'tensor')}: their gains and losses are at its output."


def _table(ranked: Sequence[Seeing], by_id: dict[str, Item]) -> None:
    ids = [one.found.name for one in ranked]
    key = f"doctor-all-{hash(tuple(ids))}"

    def picked() -> None:
        at = st.session_state[key].selection.rows
        if at:
            st.session_state["tensor"], st.session_state[VIEW] = ids[at[0]], "one"

    frame = pd.DataFrame([_cells(one, by_id[one.found.name].info) for one in ranked])
    known = next((name for name in KNOWN if bool(frame[name].notna().any())), None)
    frame = frame.drop(columns=[name for name in KNOWN if name != known])
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        frame, hide_index=True, width="stretch", row_height=ROW, key=key, on_select=picked,
        selection_mode="single-row", height=min(ROW * (len(frame) + 1) + 6, TALL),
        alt="The worst finding of each tensor", placeholder="–",
        column_config={
            "Tensor": text(width=170, pinned=True), "Level": text(width=66),
            "Rule": text(width=170), "Gain dB": number(format="%.1f", width=66),
            "Right now %": number(format="%.1f", width=86, help=term("doctor_right")),
            "Output dB": number(format="%.1f", width=76, help=term("doctor_arrives")),
            "Finding": text(width=330),
            "More": number(format="%d", width=54, help=term("doctor_more")),
        },
    )  # fmt: skip


def _cells(one: Seeing, info: TensorInfo) -> dict[str, Any]:
    found, now = one.found, one.facts.now
    first = found.findings[0] if found.findings else None
    refused = one.refused or (next(iter(found.skipped.values()), "") if not found.looked else "")
    return {
        "Tensor": table_text(info.name),
        "Level": "" if first is None else badge(first),
        "Rule": "" if first is None else first.rule,
        "Gain dB": first.gain if first is not None and first.fixes else None,
        "Right now %": None if now is None or now.accuracy is None else 100 * now.accuracy,
        "Output dB": None if now is None else now.sqnr,
        "Finding": table_text(refused) if first is None else first.message,
        "More": max(len(found.findings) - 1, 0),
    }
