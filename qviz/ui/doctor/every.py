"""All tensors of the same file: the worst finding of each, worst first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from qviz.doctor import Examined
from qviz.doctor.examining import worst_first
from qviz.errors import QvizError
from qviz.figures.doctor_words import all_heading, badge
from qviz.figures.theme import clean
from qviz.observers.base import OBSERVERS
from qviz.sources.base import TensorInfo
from qviz.sources.synthetic import Samples
from qviz.spec import Role
from qviz.ui.choice import Choice, chosen_batch_axis, chosen_target
from qviz.ui.doctor.asked import CODES, Asked, stored
from qviz.ui.doctor.subject import look
from qviz.ui.library import Item, items
from qviz.ui.notices import plain, table_text
from qviz.ui.words import term

VIEW = "doctor_view"
VIEWS = {"one": "This tensor", "all": "All tensors"}
SECONDS = 8.0  # of one run; what is left is looked at when a person says so
FLOATS = ("float", "bfloat")
ALONE = ("NON-FINITE",)  # all that is asked of vectors among other tensors: they stay wide
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
    made, left = _looked(members, question)
    ranked = worst_first(made)
    head.markdown(f"### {plain(all_heading(ranked))}")
    rule = OBSERVERS.title_of(question.observer)
    name = clean(choice.item.id.partition("::")[0])
    about = f"{name}, {len(made)} of {len(members)} tensors; {choice.scheme}, {rule}."
    head.caption(plain(about))
    if left:
        st.button(f"Go on with {left} more", key="doctor_go_on", icon=":material/play_arrow:")
    if ranked:
        _table(ranked, {item.id: item for item in members})
    st.caption("Click a row to see the tensor's findings. Vectors of a model stay wide as a rule: "
               "of them only NaN and infinities are told.")  # fmt: skip


def _looked(members: Sequence[Item], question: Asked) -> tuple[list[Examined], int]:
    """What was found of each, in at most some seconds, and how many are left."""
    bar, end, made = st.progress(0.0, "Asking every rule"), time.monotonic() + SECONDS, []
    model = any(len(i.info.shape) > 1 and i.info.role == Role.WEIGHT for i in members)
    for at, item in enumerate(members):
        bar.progress(at / len(members), f"Asking every rule: {at} of {len(members)}")
        if time.monotonic() > end:
            break
        try:
            made.append(_kept(_examined(item, question), item.info, model))
        except QvizError as error:
            made.append(Examined(item.id, (), {"": str(error)}, 0))
    bar.empty()
    return made, len(members) - len(made)


def _examined(item: Item, question: Asked) -> Examined:
    """One tensor under the page's codes and rule, without what is known of the chosen one."""
    info = item.info
    choice = Choice(item, chosen_target(info), chosen_batch_axis(info), info.role)
    coded = info.dtype in CODES
    given = stored(info) if coded else None
    key = (OBSERVERS.spell(question.observer), coded, question.symmetric_only)
    asked = Asked(
        question.observer, given, coded, symmetric_only=question.symmetric_only, key=key
    )  # fmt: skip
    return replace(look(choice, asked).found, name=item.id)


def _kept(one: Examined, info: TensorInfo, model: bool) -> Examined:
    """Of a vector in a model only what matters where it is not quantized."""
    if not model or len(info.shape) > 1 or info.role == Role.ACTIVATION:
        return one
    return replace(one, findings=tuple(f for f in one.findings if f.rule in ALONE))


def _table(ranked: Sequence[Examined], by_id: dict[str, Item]) -> None:
    ids = [one.name for one in ranked]
    key = f"doctor-all-{hash(tuple(ids))}"

    def picked() -> None:
        at = st.session_state[key].selection.rows
        if at:
            st.session_state["tensor"], st.session_state[VIEW] = ids[at[0]], "one"

    frame = pd.DataFrame([_cells(one, by_id[one.name].info) for one in ranked])
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        frame, hide_index=True, width="stretch", row_height=ROW, key=key, on_select=picked,
        selection_mode="single-row", height=min(ROW * (len(frame) + 1) + 6, TALL),
        alt="The worst finding of each tensor", placeholder="–",
        column_config={
            "Tensor": text(width=170, pinned=True), "Level": text(width=66),
            "Rule": text(width=170), "Gain dB": number(format="%.1f", width=66),
            "Finding": text(width=330),
            "More": number(format="%d", width=54, help=term("doctor_more")),
        },
    )  # fmt: skip


def _cells(one: Examined, info: TensorInfo) -> dict[str, Any]:
    first = one.findings[0] if one.findings else None
    refused = next(iter(one.skipped.values()), "") if not one.looked else ""
    return {
        "Tensor": table_text(info.name),
        "Level": "" if first is None else badge(first),
        "Rule": "" if first is None else first.rule,
        "Gain dB": first.gain if first is not None and first.fixes else None,
        "Finding": table_text(refused) if first is None else first.message,
        "More": max(len(one.findings) - 1, 0),
    }
