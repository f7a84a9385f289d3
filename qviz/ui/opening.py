"""What stands under "Open a file": an upload, a path, numbers that are pasted."""

from __future__ import annotations

import streamlit as st

from qviz.ui import files
from qviz.ui.notices import plain
from qviz.ui.words import term


def open_panel() -> None:
    """The three ways in."""
    st.file_uploader(
        "Checkpoint or array", key="upload", on_change=files.take_upload, help=term("open")
    )
    if files.paths_allowed():
        st.text_input("or a path", key="path", on_change=files.take_path, help=term("path"))
    st.text_area(
        "or numbers", key="pasted", on_change=files.take_pasted, help=term("pasted"), height=80,
        placeholder="0.5 -1.25 3\n[[1, 2], [3, 4]]",
    )  # fmt: skip
    about = st.session_state.get("pasted_about")
    if about:
        st.caption(plain(about))
