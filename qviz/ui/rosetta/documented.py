"""What documentations say beside what was measured, each with an example that shows it."""

from __future__ import annotations

import streamlit as st

from qviz.figures.numbers import number, until_they_differ
from qviz.figures.rosetta_parting import sentence
from qviz.figures.rosetta_words import span
from qviz.observers.base import OBSERVERS
from qviz.rosetta.documented import Contrast, Watched, contrast, observer_pairs, rule_pairs
from qviz.ui.notices import plain
from qviz.ui.rosetta.asked import Subject, range_words


def view(subject: Subject) -> tuple[str, str]:
    """One row per documented member; gives heading and caption."""
    found = [contrast(pair, subject.lo, subject.hi) for pair in rule_pairs()]
    for one in found:
        _rule(one)
    for watched in observer_pairs():
        _observer(watched)
    here = sum(one.here and one.differs for one in found)
    heading = f"{here} of {len(found)} documented formulas differ from the code on this range"
    return heading, (
        f"{range_words(subject)} A pair that agrees here is shown on an example range."
    )


def _rule(one: Contrast) -> None:
    a, b = one.documented, one.measured
    with st.container(border=True):
        left, right = st.columns([2, 3])
        left.markdown(f"**{plain(a.rule.title)}** beside **{plain(b.rule.title)}**")
        left.caption(plain(str(a.rule.source)))
        if not one.differs:
            right.markdown("Both give the same on this range and on every example.")
            return
        where = "" if one.here else f"On {span(*a.requested)}: "
        right.markdown(plain(where + sentence(a, b, one.found)))
        if one.elements is not None:
            right.caption(plain(_example(one)))


def _example(one: Contrast) -> str:
    if one.elements is None:
        return ""
    first, second = one.elements
    values = until_they_differ(first.value, second.value, 4)
    codes = f"code {first.code} and {second.code}"
    return (
        f"For example {number(first.x, 9)}: the text gives {values[0]}, the code {values[1]} "
        f"({codes})."
    )


def _observer(watched: Watched) -> None:
    with st.container(border=True):
        left, right = st.columns([2, 3])
        titles = [OBSERVERS.entry(n).title for n in (watched.documented, watched.measured)]
        left.markdown(f"**{plain(titles[0])}** beside **{plain(titles[1])}**")
        left.caption(plain(str(OBSERVERS.entry(watched.documented).source)))
        a, b = watched.ranges
        lows = until_they_differ(float(a.lo[0]), float(b.lo[0]), 4)
        highs = until_they_differ(float(a.hi[0]), float(b.hi[0]), 4)
        right.markdown(
            plain(
                f"After eight batches of four values the first keeps [{lows[0]}, {highs[0]}], "
                f"the second [{lows[1]}, {highs[1]}]."
            )
        )
