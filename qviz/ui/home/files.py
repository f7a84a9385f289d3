"""The third way in: a file of one's own."""

from __future__ import annotations

import streamlit as st

from qviz.ui import files
from qviz.ui.words import term

KEY = "home_upload"


def drop_a_file() -> None:
    """A box to drop a file on; what it holds becomes the current tensor."""
    st.markdown("##### Your own tensor, checkpoint or model")
    st.file_uploader(
        "Drop a file", key=KEY, on_change=files.take_upload, args=(KEY,), help=term("open"),
        label_visibility="collapsed",
    )  # fmt: skip
