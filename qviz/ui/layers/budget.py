"""How long a run may take: a field, and an estimate of what the trials of all layers need."""

from __future__ import annotations

import math

import streamlit as st

from qviz.errors import QvizError
from qviz.models.amount import seconds_of
from qviz.models.limits import SECONDS
from qviz.models.model import read_model
from qviz.models.points import points
from qviz.ui.layers.subject import Run, Subject
from qviz.ui.layers.working import AT_MOST, last_ran
from qviz.ui.words import term

TIMES, COUNTS = "layers_times", "layers_counts"
LEAST, MOST = 5, 86_400  # seconds
ROOM = 3  # times the estimate that is allowed: other work slows a model down


def seconds_field(key: str, usual: int) -> float:
    """The field, and what it holds."""
    given = st.number_input(
        AT_MOST, LEAST, MOST, usual, key=key, help=term("layers_seconds"), width=170
    )
    return float(given)


def remember(run: Run) -> None:
    """Keep how long the model took in the run that has just arrived."""
    seconds = last_ran()
    if seconds is not None:
        st.session_state.setdefault(TIMES, {})[_key(run)] = seconds


def estimate(found: Subject) -> float | None:
    """About how many seconds the trials of all layers take; None where no run was timed."""
    if found.run is None:
        return None
    run = st.session_state.get(TIMES, {}).get(_key(found.run))
    count = _count(found.name, found.run, found)
    return None if run is None or count is None else seconds_of(count, run)


def usual_seconds(about: float | None) -> int:
    """What the trials may take unless somebody says otherwise."""
    return int(max(SECONDS, 10 * math.ceil(ROOM * (about or 0.0) / 10)))


def _key(run: Run) -> tuple[str, ...]:
    return (str(run.model), *run.feeds.words())


def _count(name: str, run: Run, found: Subject) -> int | None:
    """How many tensors are tried."""
    known = st.session_state.setdefault(COUNTS, {})
    if name not in known:
        try:
            known[name] = len(points(read_model(run.model, name), found.source))
        except QvizError:
            known[name] = None
    return known[name]
