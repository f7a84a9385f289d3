"""Models among the files of a session: opened also without a tensor, and known where they run."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from qviz.errors import RefusedFile
from qviz.models.facts import graph_of
from qviz.models.model import read_model
from qviz.sources import base
from qviz.sources.base import TensorSource
from qviz.sources.contents import FileSource
from qviz.sources.file import File
from qviz.sources.onnx.loader import OnnxLoader

KNOWN = "graphs_known"


def open_file(path: Path, shown: str) -> TensorSource:
    """The tensors of a file; of an ONNX model that stores none a source without tensors.

    Raises
    ------
    RefusedFile
        As that of the sources; L15 where there is neither a tensor nor a node to run.
    """
    try:
        return base.open_file(path, shown)
    except RefusedFile as refusal:
        source = _graph_alone(File(path, shown))
        if source is None:
            raise refusal from None
        return source


def _graph_alone(file: File) -> TensorSource | None:
    """The model without its tensors; None where it is no model, or has some that are damaged."""
    loader = OnnxLoader()
    try:
        if file.size == 0 or not loader.matches(file):
            return None
        read_model(file.path, file.shown)  # which says why it cannot run
        source = loader.open_graph(file)
    except OSError:
        return None
    return None if source.skipped else source


def can_run(source: TensorSource) -> bool:
    """Whether it is an ONNX file whose graph has nodes."""
    if not isinstance(source, FileSource):
        return False
    known = st.session_state.setdefault(KNOWN, {})
    mark = source.file.fingerprint
    if mark not in known:
        known[mark] = graph_of(source) is not None
    return known[mark]
