"""A model at work in a child: started, watched with its progress, cancelled, taken in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.models.jobs import Job
from qviz.ui.notices import plain

WORKING, GIVEN_UP = "layers_working", "layers_given_up"
SECONDS = 0.4  # from one look at it to the next


@dataclass(frozen=True, eq=False)
class Working:
    """One job of this session. ``key`` says what it is for; ``arrived`` takes its result."""

    key: tuple[str, ...]
    words: str
    job: Job[Any]
    arrived: Callable[[Any], None]


def at_work() -> Working | None:
    """The job of this session, if there is one."""
    return st.session_state.get(WORKING)


def begin(
    key: tuple[str, ...],
    words: str,
    start: Callable[[], Job[Any]],
    arrived: Callable[[Any], None],
) -> None:
    """Start a job in place of any earlier one; what is refused at once is told on the page."""
    stop()
    try:
        job = start()
    except QvizError as error:
        _refuse(key, error)
        return
    given_up().discard(key)
    st.session_state.pop("refused", None)
    st.session_state[WORKING] = Working(key, words, job, arrived)


def given_up() -> set[tuple[str, ...]]:
    """Keys of jobs that failed or were cancelled: nothing starts them again by itself."""
    return st.session_state.setdefault(GIVEN_UP, set())


def stop() -> None:
    """End the job, if there is one."""
    working = st.session_state.pop(WORKING, None)
    if working is not None:
        working.job.cancel()


def _cancel() -> None:
    working = at_work()
    if working is not None:
        given_up().add(working.key)
    stop()


def _refuse(key: tuple[str, ...], error: QvizError) -> None:
    given_up().add(key)
    st.session_state["refused"] = error


@st.fragment(run_every=SECONDS)
def watch() -> None:
    """How far it is, and Cancel; at its end the whole page runs again with the result."""
    working = at_work()
    if working is None:
        st.rerun()
    if working.job.done:
        _take(working)
        st.rerun()
    done, count = working.job.progress
    text = f"{working.words}: {done} of {count}" if count else f"{working.words}: starting"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(done / count if count else 0.0, plain(text), width=420)
        st.button("Cancel", key="layers_cancel", icon=":material/stop_circle:", on_click=_cancel)


def _take(working: Working) -> None:
    st.session_state.pop(WORKING, None)
    try:
        working.arrived(working.job.result())
    except QvizError as error:
        _refuse(working.key, error)
