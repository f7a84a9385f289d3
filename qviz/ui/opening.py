"""What stands under "Open a file": an upload, a path, numbers that are pasted."""

from __future__ import annotations

import streamlit as st

from qviz.ui import files
from qviz.ui.navigation import ROOT
from qviz.ui.notices import plain
from qviz.ui.words import term

LAYERS = "pages/7_Layers.py"


def open_panel() -> None:
    """The three ways in."""
    st.file_uploader(
        "Checkpoint or array", key="upload", on_change=files.take_upload, help=term("open")
    )
    path_box("or a path", "path")
    st.text_area(
        "or numbers", key="pasted", on_change=files.take_pasted, help=term("pasted"), height=80,
        placeholder="0.5 -1.25 3\n[[1, 2], [3, 4]]",
    )  # fmt: skip
    about = st.session_state.get("pasted_about")
    if about:
        st.caption(plain(about))
    _graph_alone()


def path_box(label: str, key: str) -> None:
    """Opens a file by its path, where that is allowed."""
    if files.paths_allowed():
        st.text_input(label, key=key, on_change=files.take_path, args=(key,), help=term("path"))


def _graph_alone() -> None:
    """What to do with a model that was opened last and stores no tensor."""
    newest = next(iter(files.opened().values()), None)
    if newest is not None and not newest.source.infos and newest.path is not None:
        st.caption(plain(f"{newest.shown} stores no tensor: run it to see what its nodes give."))
        if (ROOT / LAYERS).exists():
            st.page_link(LAYERS, label="Run it on Layers", icon=":material/layers:")
