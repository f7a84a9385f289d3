"""Words and formula cards: the tooltips' dictionary, and what each member says of itself."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from qviz.report.catalogue import Item, catalogue
from qviz.ui.learn.words import WORDS
from qviz.ui.notices import plain

KINDS = {"word": "Words", "observer": "Observers", "mode": "Modes", "metric": "Metrics"}


@st.fragment
def show() -> None:
    """A search box, a kind, and a card for each thing that fits."""
    head = st.container()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    wanted = left.text_input("Search", key="learn_search", bind="query-params").strip().lower()
    kind = right.segmented_control(
        "Kind", list(KINDS), default="word", format_func=KINDS.__getitem__, key="learn_kind",
        bind="query-params", required=True, label_visibility="collapsed",
    )  # fmt: skip
    cards = list(_cards(kind, wanted))
    count = f"{len(cards)} {KINDS[kind].lower()}" if len(cards) != 1 else f"1 {kind}"
    head.markdown(f"### {count}{' that fit' if wanted else ''}")
    head.caption("Tooltips use the same words; formulas are what each member says of itself.")
    if not cards:
        st.info(plain(f"Nothing of this kind speaks of {wanted!r}. Try another word or kind."))
    for title, lines in cards:
        with st.container(border=True):
            st.markdown(f"**{plain(title)}**")
            for line in lines:
                st.markdown(plain(line))


def _cards(kind: str, wanted: str) -> Iterator[tuple[str, list[str]]]:
    """Title and lines of each card that holds the wanted text."""
    for title, lines in _words() if kind == "word" else _members(kind):
        if wanted in " ".join((title, *lines)).lower():
            yield title, lines


def _words() -> Iterator[tuple[str, list[str]]]:
    for name, text in sorted(WORDS.items(), key=lambda pair: pair[0].lower()):
        yield name.replace("_", " "), [text]


def _members(kind: str) -> Iterator[tuple[str, list[str]]]:
    for item in _catalogue():
        if item.kind == kind:
            yield f"{item.title} ({item.name})", _lines(item)


@st.cache_resource(show_spinner=False)
def _catalogue() -> tuple[Item, ...]:
    return catalogue()


def _lines(item: Item) -> list[str]:
    lines = [text.replace("``", "") for text in item.says]
    if item.differs:
        lines.append(f"Differs: {item.differs.replace('``', '')}")
    ties = f"; ties: {item.rounding}" if item.rounding else ""
    lines.append(f"{item.dialect}; {item.precision}{ties}. Source: {item.source}.")
    return lines
