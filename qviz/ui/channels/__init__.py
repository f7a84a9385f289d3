"""Body of the Channels page: where inside the tensor the error lives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.figures.channel_dots import dots
from qviz.figures.channel_words import Words, heading, measured
from qviz.figures.channels import heatmap
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.channel_rows import ChannelRows
from qviz.pipeline.granularities import has_tokens
from qviz.ui.channels import controls, panels, picked, results
from qviz.ui.channels.look import Look
from qviz.ui.choice import Choice
from qviz.ui.notices import notices, palette, plain, plot

__all__ = ["FIRST", "body"]
FIRST = "teaching::outlier_channel"


@st.fragment
def body(choice: Choice) -> None:
    """Heading, controls, both pictures, and one panel below."""
    if st.session_state.pop(picked.OPENED, False):
        st.rerun()  # the whole page: the sidebar names the tensor
    head = st.container()
    notices(choice)
    choice = replace(choice, batch_axis=None)
    try:
        look = controls.row(choice)
        if isinstance(look, str):
            head.info(plain(look), icon=":material/info:")
            return
        found = results.mapped(choice, look)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")
        return
    _draw(choice, look, found, head)


def _draw(choice: Choice, look: Look, found: ChannelMap, head: Any) -> None:
    words = _words(choice, look)
    instead = found.own if words.instead != "per token" else results.tokens(choice, look)
    title = heading(found, instead, look.threshold, words)
    head.markdown(f"### {plain(title)}")
    head.caption(plain(_caption(choice, look, found, words)))
    controls.hints(choice, look)
    rows = controls.rows(choice, look, found)
    chosen = picked.channel(choice, look, found)
    if rows.count:
        _pictures(look, found, rows, (chosen, title))
    picked.card(choice, look, found)
    panels.below(choice, look, found, rows)
    look.gains.caption(plain_bold(results.gain_line(choice, look, found)))


def _pictures(
    look: Look, found: ChannelMap, rows: ChannelRows, said: tuple[int | None, str]
) -> None:
    """The heatmap, and beside it the SQNR of its rows."""
    chosen, title = said
    left, right = st.columns([7, 3], gap="small")
    with left:
        figure = heatmap(found, palette(), rows, chosen=chosen)
        plot(figure, "channels-map", f"Channels against values. {title}")
    with right:
        marks = dots(found, palette(), rows, threshold=look.threshold, chosen=chosen)
        plot(marks, "channels-dots", f"SQNR of each channel. {title}", on_click=picked.pick(look))


def plain_bold(parts: list[tuple[str, str]]) -> str:
    """Names and their numbers as one line, numbers bold."""
    line = " · ".join(f"{plain(name)} **{plain(value)}**" for name, value in parts)
    return f"dB {line}"


def _words(choice: Choice, look: Look) -> Words:
    if not look.activation or look.group == "group":
        return Words(group=look.group, instead=f"per {look.group}")
    if has_tokens(choice.role, choice.item.info.shape):
        return Words(instead="per token")
    return Words(note=" (for analysis)")


def _caption(choice: Choice, look: Look, found: ChannelMap, words: Words) -> str:
    where = (
        f"{look.group}s along axis {look.axis}" if look.group == "channel" else "groups in a row"
    )
    spec = replace(choice.target, granularity=results.PER_TENSOR)
    scheme = replace(choice, target=spec).scheme
    parts = [measured(found, words), f"{choice.about}, {where}; {scheme}, {look.title}."]
    if found.facts.finite.sum() < found.facts.n.sum():
        parts.append("NaN and infinities are left out.")
    if not found.exact:
        parts.append("The range is read off a sketch; errors are exact.")
    return " ".join(part for part in parts if part)
