"""What is looked at: a file of the session, a model that was run, or a bundled network."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import streamlit as st

from qviz.figures.theme import clean
from qviz.models.feeds import Feeds
from qviz.models.jobs import start
from qviz.models.samples import SAMPLES, sample_feeds
from qviz.sources.base import TensorSource
from qviz.sources.captured.source import Captured
from qviz.ui.files import listed, new_folder, opened
from qviz.ui.graphs import can_run
from qviz.ui.layers.working import at_work, begin, given_up
from qviz.ui.words import term

MODEL, RUNS, SAMPLES_RUN, NEWEST = (
    "layers_model", "layers_runs", "layers_samples_run", "layers_newest"
)  # fmt: skip
SAMPLE = "sample:"  # start of the id of a bundled network
CAPTURE = "capture"
AGAIN = re.compile(r"(, run( \d+)?)+$")


@dataclass(frozen=True, eq=False)
class Run:
    """How a captured model came about: what was run, on what."""

    model: Path
    feeds: Feeds = field(default_factory=Feeds)


@dataclass(frozen=True, eq=False)
class Subject:
    """A set of tensors under the name it is listed as; ``run`` where its model was run.

    ``path`` is the model's file where it has not been run.
    """

    name: str
    title: str
    source: TensorSource
    run: Run | None = None
    path: Path | None = None
    sample: bool = False


def runs() -> dict[str, Run]:
    """How the captured models of this session came about, by the name they are listed under."""
    return st.session_state.setdefault(RUNS, {})


def _samples_run() -> dict[str, str]:
    """Names under which bundled networks are listed that have been run, by their id."""
    return st.session_state.setdefault(SAMPLES_RUN, {})


def choose() -> str | None:
    """The box that chooses; gives the id of what is chosen."""
    options = choices()
    _from_address(options)
    _take_newest(options)
    if st.session_state.get(MODEL) not in options:
        st.session_state[MODEL] = None
    chosen = st.selectbox(
        "Model", options, index=None, placeholder="Choose a model", key=MODEL,
        format_func=title, help=term("layers_model"), persist_state="session",
    )  # fmt: skip
    _to_address(chosen)
    return chosen


def choices() -> list[str]:
    """Ids of all that can be looked at: files of this session, then the bundled networks."""
    taken = set(_samples_run().values())
    files = [name for name in opened() if name not in taken]
    return [*files, *(SAMPLE + name for name in SAMPLES)]


def title(id: str) -> str:
    """How it is called on screen."""
    return SAMPLES.get(id.removeprefix(SAMPLE)) or clean(id) or "(no name)"


def name_of(id: str) -> str:
    """The name under which it is listed once it is opened."""
    return _samples_run().get(id, id)


def pick(id: str) -> None:
    """Callback of a button: look at this one, also where it was given up before."""
    st.session_state[MODEL] = id
    given_up().discard((CAPTURE, id))


def subject(id: str | None) -> Subject | None:
    """The set of tensors; None while a bundled network is run, or where that failed."""
    file = opened().get(name_of(id or ""))
    if id is None or (file is None and not id.startswith(SAMPLE)):
        return None
    if file is None:
        _run_sample(id)
        return None
    run = runs().get(file.shown)
    return Subject(file.shown, title(id), file.source, run, file.path, id.startswith(SAMPLE))


def _run_sample(id: str) -> None:
    key, working = (CAPTURE, id), at_work()
    if key in given_up() or (working is not None and working.key == key):
        return
    model, feeds = sample_feeds(id.removeprefix(SAMPLE))
    shown = title(id)
    arrived = partial(take, Run(model, feeds), shown, id)
    begin(key, f"Running {shown}", lambda: start(model, feeds, new_folder(), shown=shown), arrived)


def take(run: Run, shown: str, id: str, source: Captured) -> None:
    """List a captured model: it is looked at here, its tensors on every page."""
    name = listed(shown if id.startswith(SAMPLE) else run_name(shown), source)
    runs()[name] = run
    if id.startswith(SAMPLE):
        _samples_run()[id] = name
        st.session_state[NEWEST] = name


def run_name(shown: str) -> str:
    """``net.onnx, run``, and ``net.onnx, run 2`` where that is listed, also of a run itself."""
    first, count = f"{AGAIN.sub('', shown)}, run", 1
    name = first
    while name in opened():
        count += 1
        name = f"{first} {count}"
    return name


def way(found: Subject) -> str:
    """How the cost at its output can be known: one of ``layers_words.WAYS``."""
    if found.run is not None:
        return "alone"
    return "run" if can_run(found.source) else "open"


def _take_newest(options: list[str]) -> None:
    """A file opened since the last look is what a person wants to see."""
    newest = next(iter(opened()), None)
    if newest != st.session_state.get(NEWEST):
        st.session_state[NEWEST] = newest
        if newest in options and _is_model(newest):
            st.session_state[MODEL] = newest


def _is_model(name: str) -> bool:
    """Whether a file is a set of tensors, or a graph with fewer."""
    source = opened()[name].source
    return len(source.infos) > 1 or name in runs() or can_run(source)


def _from_address(options: list[str]) -> None:
    wanted = SAMPLE + st.query_params.get(MODEL, "")
    if MODEL not in st.session_state and wanted in options:
        st.session_state[MODEL] = wanted


def _to_address(chosen: str | None) -> None:
    """A bundled network stands in the address; files of a session never do."""
    if chosen is None or not chosen.startswith(SAMPLE):
        st.query_params.pop(MODEL, None)
    elif st.query_params.get(MODEL) != chosen.removeprefix(SAMPLE):
        st.query_params[MODEL] = chosen.removeprefix(SAMPLE)
