"""The model that a tensor was captured from, where it can run again for the gains at its output."""

from __future__ import annotations

import streamlit as st

from qviz.doctor.within import Within
from qviz.figures.theme import clean
from qviz.models.limits import Limits
from qviz.sources.captured.source import Captured
from qviz.spec import Role
from qviz.ui.choice import Choice
from qviz.ui.files import new_folder, opened, tensor_id
from qviz.ui.layers.subject import Run, runs
from qviz.ui.notices import plain

SECONDS = 30.0  # of all runs together that one look may take
VIEW = "doctor_view"  # key of the switch between one tensor and all


def run_of(choice: Choice) -> tuple[str, Run] | None:
    """How the model of the chosen tensor is listed, and how it was run; None without one.

    All batches must be looked at: what reaches the output comes of all of them.
    """
    source = choice.item.source
    if not isinstance(source, Captured) or choice.upto is not None or choice.batch_axis is not None:
        return None
    name = next((name for name, file in opened().items() if file.source is source), None)
    return None if name is None or name not in runs() else (name, runs()[name])


def within(choice: Choice) -> Within | None:
    """The same as what the doctor takes."""
    found = run_of(choice)
    if found is None:
        return None
    shown, run = found
    return Within(
        run.model, choice.item.source, choice.item.info.name, run.feeds, new_folder(),
        Limits(seconds=SECONDS), shown,
    )  # fmt: skip


def offer(choice: Choice) -> None:
    """A way to all tensors of the model that was run last, where the chosen one is of none."""
    ran = {name: file.source for name, file in opened().items() if name in runs()}
    if not ran or any(source is choice.item.source for source in ran.values()):
        return
    name, source = next(iter(ran.items()))
    names = [info.name for info in source.infos.values() if info.role == Role.ACTIVATION]
    if not names:
        return
    first = tensor_id(name, names[0], len(source.infos))
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption("This tensor is none of the model that was run.", width="content")
        st.button(
            f"Look at all tensors of {plain(clean(name))}", key="doctor_of_model", type="tertiary",
            icon=":material/layers:", on_click=_all, args=(first,),
        )  # fmt: skip


def _all(id: str) -> None:
    st.session_state["tensor"], st.session_state[VIEW] = id, "all"
