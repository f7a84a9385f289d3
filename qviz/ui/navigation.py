"""Links to all pages, in groups; their order is a design choice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
PAGES = (  # a page is linked once its script is there
    (
        "One tensor",
        (
            ("Observers", "pages/1_Observers.py", ":material/straighten:"),
            ("Grid", "pages/2_Grid.py", ":material/grid_4x4:"),
            ("Channels", "pages/6_Channels.py", ":material/view_week:"),
        ),
    ),
    (
        "Rules side by side",
        (
            ("Fake quant", "pages/3_Fake_quant.py", ":material/stairs:"),
            ("TF Quantize", "pages/4_TF_Quantize.py", ":material/swap_vert:"),
            ("Rosetta", "pages/5_Rosetta.py", ":material/translate:"),
        ),
    ),
    (
        "A whole model",
        (
            ("Layers", "pages/7_Layers.py", ":material/layers:"),
            ("Doctor", "pages/8_Doctor.py", ":material/stethoscope:"),
        ),
    ),
    ("Take away", (("Learn", "pages/9_Learn.py", ":material/school:"),)),
)


def links(choice: Mapping[str, str]) -> None:
    """Home, then each group under its caption; ``choice`` are the parameters of each address."""
    with st.container(key="nav"):
        _link("app.py", "Home", ":material/home:", choice)
        for group, pages in PAGES:
            there = [page for page in pages if (ROOT / page[1]).exists()]
            if there:
                st.caption(group)
            for label, path, icon in there:
                _link(path, label, icon, choice)


def _link(path: str, label: str, icon: str, choice: Mapping[str, str]) -> None:
    st.page_link(path, label=label, icon=icon, width="stretch", query_params=dict(choice))
