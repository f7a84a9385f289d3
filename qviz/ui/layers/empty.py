"""What stands on the page where there is no table yet: no model, or one without a tensor."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qviz.figures.layers_words import called
from qviz.models.samples import SAMPLES
from qviz.ui import files
from qviz.ui.layers.subject import SAMPLE, Subject, pick
from qviz.ui.layers.table import left_aside
from qviz.ui.opening import path_box
from qviz.ui.words import term

UPLOAD, PATH = "layers_upload", "layers_path"


def without_model(head: Any) -> None:
    """The bundled networks, and the ways to open a file."""
    head.markdown("### Layers needs a model or a set of tensors")
    head.caption(
        "It shows which layer of a model loses most when it is quantized. Start with a small "
        "trained network that recognises digits, or with its twin: the same function, with one "
        "channel made loud."
    )
    with st.container(horizontal=True):
        for name, title in SAMPLES.items():
            st.button(
                title, key=f"layers_sample-{name}", icon=":material/play_arrow:",
                on_click=pick, args=(SAMPLE + name,),
            )  # fmt: skip
    st.file_uploader(
        "Or open a checkpoint, an ONNX model or a saved capture", key=UPLOAD,
        on_change=files.take_upload, args=(UPLOAD,), help=term("open"),
    )  # fmt: skip
    path_box("Or a path to one", PATH)


def without_tensors(found: Subject) -> tuple[str, str]:
    """Heading and caption of a model that stores nothing, or whose nodes gave nothing."""
    left_aside(found)
    name = called(found.title)
    if found.run is not None:
        return f"{name} gave no tensor that can be quantized", "Its nodes ran; see what they gave."
    return (
        f"{name} stores no tensor: run it to see what its nodes give",
        "Its weights are not in the file, or it has none; every value that a node gives is "
        "counted while it passes.",
    )
