"""One rule's quantizer in the words of other tools, to copy."""

from __future__ import annotations

import streamlit as st

from qviz.figures.numbers import number
from qviz.rosetta.answers import Answer
from qviz.rosetta.conventions import CONVENTIONS, Expressed, expressed
from qviz.ui.notices import plain
from qviz.ui.rosetta.asked import A, Subject, pick, range_words


def view(subject: Subject) -> tuple[str, str]:
    """One block per convention; gives heading and caption."""
    chosen = subject.answer(pick(subject, "rosetta_a", A))
    found = expressed(chosen)
    silent = [name for name, one in found.items() if one.refused]
    for name in (*(n for n in found if n not in silent), *silent):
        _block(name, found[name])
    count = len(found) - len(silent)
    heading = f"{chosen.rule.title}: {count} of {len(found)} conventions can say this quantizer"
    return heading, f"{_numbers(chosen)} {range_words(subject)}"


def _block(name: str, one: Expressed) -> None:
    entry = CONVENTIONS.entry(name)
    left, right = st.columns([1, 3], vertical_alignment="center")
    with left:
        st.markdown(f"**{plain(entry.title)}**", help=plain(str(entry.source)))
        if one.note:
            st.caption(plain(one.note))
    with right:
        if one.refused:
            st.caption(plain(f"Cannot be said: {one.refused}."))
            return
        st.code(one.text, language=None, wrap_lines=True)
        if one.lost:
            st.caption(plain(f"Not told: {one.lost}."))


def _numbers(given: Answer) -> str:
    if given.scale is None:
        return f"{given.refused or given.degenerate}"
    hexed = float(given.scale).hex()
    zero = "no zero point" if given.zero_point is None else f"zero point {given.zero_point}"
    ends = "" if given.ends is None else f", codes {given.ends[0]} to {given.ends[1]}"
    return f"Scale {number(given.scale, 9)} ({given.scale_dtype} {hexed}), {zero}{ends}."
