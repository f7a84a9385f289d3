"""A model at work in a child: started, watched with its progress, cancelled, taken in."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from qviz.errors import QvizError
from qviz.models.jobs import Job
from qviz.ui.notices import plain

WORKING, GIVEN_UP = "layers_working", "layers_given_up"
RAN = "layers_ran"
SECONDS = 0.4  # from one look at it to the next
LOOK, AWAY = 5.0, 60.0  # seconds between looks for the browser; without one the job ends
AT_MOST = "At most, seconds"
ADVICE = {  # what a page has in place of the options of the command line
    "--seconds": f"Allow more under “{AT_MOST}”, or run fewer or smaller batches.",
    "--memory": "Take fewer samples in a batch.",
    "--axis": "Say how long it is in the form.",
}


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
    _end_with_session(job)


def given_up() -> set[tuple[str, ...]]:
    """Keys of jobs that failed or were cancelled: nothing starts them again by itself."""
    return st.session_state.setdefault(GIVEN_UP, set())


def stop() -> None:
    """End the job, if there is one."""
    working = st.session_state.pop(WORKING, None)
    if working is not None:
        working.job.cancel()


def last_ran() -> float | None:
    """Seconds that the model took in the run that has just arrived, as far as they are known."""
    return st.session_state.get(RAN)


def _cancel() -> None:
    """End the job; what was found so far is taken, if there is any."""
    working = at_work()
    stop()
    if working is None:
        return
    try:
        working.arrived(working.job.result())
    except QvizError:
        given_up().add(working.key)


def _refuse(key: tuple[str, ...], error: QvizError) -> None:
    given_up().add(key)
    do = next((words for option, words in ADVICE.items() if option in error.do), error.do)
    st.session_state["refused"] = QvizError(error.what, error.why, do, code=error.code)


def _end_with_session(job: Job[Any]) -> None:
    """End the job when the browser of this session is gone for good.

    Streamlit keeps what a session holds long after that.
    """
    context = get_script_run_ctx()
    if context is not None and runtime.exists():
        wait = (weakref.ref(job), context.session_id)
        threading.Thread(target=_while_open, args=wait, daemon=True).start()


def _while_open(held: weakref.ref[Job[Any]], session: str) -> None:
    seen = time.monotonic()
    while (job := held()) is not None and not job.done:
        if runtime.exists() and runtime.get_instance().is_active_session(session):
            seen = time.monotonic()
        elif time.monotonic() - seen > AWAY:
            job.cancel()
        del job  # it ends, too, when nobody else holds it
        time.sleep(LOOK)


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
    st.session_state[RAN] = working.job.ran
    try:
        working.arrived(working.job.result())
    except QvizError as error:
        _refuse(working.key, error)
