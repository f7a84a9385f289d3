"""Boxes that say what happened, the palette of the theme, and the one way to draw a figure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from qviz.figures.theme import DARK, LIGHT, Palette, clean
from qviz.ui.choice import Choice


def palette() -> Palette:
    """Colours of the theme the browser shows."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def plot(
    figure: dict[str, Any], key: str, alt: str, on_click: Callable[[str], None] | None = None
) -> None:
    """Draw a figure; ``on_click`` gets the customdata of a point that was clicked."""

    def picked() -> None:
        points = st.session_state[key].selection.points
        if points and on_click is not None:
            data = points[0].get("customdata")
            on_click(data[0] if isinstance(data, list) else data)

    clicks: dict[str, Any] = {"on_select": picked, "selection_mode": "points"} if on_click else {}
    st.plotly_chart(
        go.Figure(figure),
        key=key,
        theme=None,
        width="stretch",
        alt=alt,
        config={"displaylogo": False, "displayModeBar": False},
        **clicks,
    )


def notices(choice: Choice) -> None:
    """What went wrong with the last file or address, in one box each."""
    refused = st.session_state.get("refused")
    if refused is not None:
        st.error(plain(refused.coded), icon=":material/block:")
        st.button("Dismiss", on_click=_dismiss, key="dismiss")
    unknown = st.session_state.pop("unknown", None)
    if unknown is not None:
        st.info(
            plain(f"No sample is called {clean(unknown)}. Here is {choice.item.label} instead."),
            icon=":material/info:",
        )


def _dismiss() -> None:
    st.session_state.pop("refused", None)


MARKUP = str.maketrans({c: f"\\{c}" for c in "\\`*_[]#|~<>$:&"})
LINK = re.compile(r"://|www\.|@", re.IGNORECASE)  # escapes do not keep these from being linked
LIST = re.compile(r"^\s*(\d*)([-+=.)])")  # a list or a line, at the start of a text
JOINER = "\u2060"  # shows nothing
FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # a spreadsheet runs what begins so, wide signs too


def plain(text: str) -> str:
    """Text for a Markdown element that shows every sign of a file's words as it stands.

    Addresses stay text: an invisible joiner parts what the page would make a link of.
    """
    shown = LIST.sub(r"\1\\\2", escape_controls(text).translate(MARKUP))
    return LINK.sub(lambda found: found[0][:-1] + JOINER + found[0][-1], shown)


def table_text(text: str) -> str:
    """A file's words for a cell of a table, which a person may save and open in a spreadsheet.

    Shortened like a label; what a spreadsheet would run as a formula begins with an apostrophe.
    Numbers belong in number columns and stay numbers.
    """
    shown = clean(text)
    return f"'{shown}" if shown.startswith(tuple(FORMULA)) else shown


def escape_controls(text: str) -> str:
    """Without control and direction signs."""
    return "".join(c for c in text if c.isprintable())
