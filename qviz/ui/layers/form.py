"""Run an ONNX model of the session: on which inputs, how many batches."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from qviz.errors import QvizError, RefusedFile
from qviz.models.feeds import BATCH, Feeds
from qviz.models.jobs import batches_in, start
from qviz.models.limits import SECONDS, Limits
from qviz.models.model import Model, read_model
from qviz.sources.captured.source import Captured
from qviz.sources.file import File
from qviz.sources.onnx.loader import OnnxLoader
from qviz.ui.files import new_folder
from qviz.ui.layers.budget import remember, seconds_field
from qviz.ui.layers.subject import CAPTURE, Run, Subject, take
from qviz.ui.layers.working import begin
from qviz.ui.notices import plain
from qviz.ui.words import term

GRAPHS = "layers_graphs"
BATCHES = "batches"  # in what was skipped: some of them
SAMPLES_MADE = 8  # of a first axis whose length is open
MOST_BATCHES, MOST_SAMPLES, MOST_LENGTH = 100_000, 4096, 1_000_000


def run_it(found: Subject) -> None:
    """The form in a popover, where the model of the subject is at hand."""
    path = found.run.model if found.run is not None else found.path
    if path is None or found.sample:
        return
    graph = _graph(found.name, path)
    if isinstance(graph, Model):
        with (
            st.popover("Run it", icon=":material/play_arrow:", help=term("layers_run")),
            st.form(f"layers_form-{found.name}", border=False),
        ):
            _form(found, path, graph)
        if found.run is None:
            st.caption("So far only what the file stores; run it to see what its nodes give.")
        elif BATCHES in found.source.skipped:
            st.caption(plain(found.source.skipped[BATCHES]))
    elif isinstance(graph, QvizError):
        st.caption(plain(f"It cannot be run. {graph}"))


def _graph(name: str, path: Path) -> Model | QvizError | None:
    """The graph, why it cannot be run, or None for a file that is no ONNX model."""
    known = st.session_state.setdefault(GRAPHS, {})
    if not isinstance(known.get(name, 0), Model | QvizError | None):  # unknown, or of old code
        try:
            is_model = OnnxLoader().matches(File(path, name))
            known[name] = read_model(path, name) if is_model else None
        except (QvizError, OSError) as error:
            known[name] = error if isinstance(error, QvizError) else None
    return known[name]


def open_axes(graph: Model) -> list[tuple[str, int, str]]:
    """Axes whose length is open: how each is asked for, its place, and words for it."""
    found: dict[str, tuple[str, int, str]] = {}
    for one in graph.inputs:
        for at, length in enumerate(one.shape or ()):
            if isinstance(length, str):
                key = length or f"{one.name}:{at}"
                found.setdefault(key, (key, at, f"{length or f'axis {at}'} of {one.name}"))
    return list(found.values())


def _form(found: Subject, path: Path, graph: Model) -> None:
    key, axes = f"layers_run-{found.name}", open_axes(graph)
    st.file_uploader("Inputs, .npz or .npy", key=f"{key}-inputs", help=term("layers_inputs"))
    if axes:
        st.caption("Without a file values are made; how long are the axes that are open?")
    for at, (_, place, words) in enumerate(axes):
        usual = SAMPLES_MADE if place == 0 else None
        st.number_input(plain(f"Length of {words}"), 1, MOST_LENGTH, usual, key=f"{key}-axis-{at}")
    with st.container(horizontal=True):
        st.number_input(
            "Batches at most", 1, MOST_BATCHES, None, key=f"{key}-batches",
            placeholder="all, or 4", help=term("layers_batches"), width=170,
        )  # fmt: skip
        st.number_input("Samples in a batch", 1, MOST_SAMPLES, BATCH, key=f"{key}-batch", width=170)
        seconds_field(f"{key}-seconds", int(SECONDS))
    names = [name for name, _, _ in axes]
    st.form_submit_button(
        "Run it", type="primary", on_click=_run, args=(found, path, key, names), width="stretch"
    )


def _run(found: Subject, path: Path, key: str, names: list[str]) -> None:
    state = st.session_state
    given = {name: state.get(f"{key}-axis-{at}") for at, name in enumerate(names)}
    try:
        feeds = Feeds(
            _inputs(state.get(f"{key}-inputs")),
            {name: length for name, length in given.items() if length},
            state.get(f"{key}-batches"),
            state.get(f"{key}-batch") or BATCH,
            shown=_name(state.get(f"{key}-inputs")),
        )
    except QvizError as error:
        state["refused"] = error
        return
    limits, shown = Limits(seconds=state.get(f"{key}-seconds") or SECONDS), f"{found.title}, run"
    begin(
        (CAPTURE, found.name),
        f"Running {found.title}",
        lambda: start(path, feeds, new_folder(), limits, found.title, partly=True),
        partial(_arrived, Run(path, feeds), shown, found.name),
    )


def _arrived(run: Run, shown: str, name: str, source: Captured) -> None:
    """Take a capture; of a run that was stopped, what else is run sees the same batches."""
    if BATCHES in source.skipped:
        run = replace(run, feeds=replace(run.feeds, batches=batches_in(source)))
    remember(run)
    take(run, shown, name, source)


def _name(upload: Any) -> str:
    """The file's own name, for people alone."""
    return "" if upload is None else Path(upload.name).name


def _inputs(upload: Any) -> Path | None:
    if upload is None:
        return None
    path = new_folder() / "inputs"
    try:
        with path.open("wb") as out:
            shutil.copyfileobj(upload, out, 2**20)
    except OSError as error:
        why = f"{error.strerror}."
        raise RefusedFile("The inputs cannot be kept.", why, "Make room.", code="L00") from error
    return path
