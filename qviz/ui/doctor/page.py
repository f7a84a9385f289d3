"""Body of the Doctor page: findings at the left, evidence and repairs at the right."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from qviz.doctor import RULES
from qviz.errors import QvizError
from qviz.figures.doctor_range import kept_range
from qviz.figures.doctor_words import MOST, heading
from qviz.figures.numbers import number
from qviz.figures.theme import shorten
from qviz.observers.base import OBSERVERS
from qviz.ui.choice import Choice
from qviz.ui.doctor import detail, every, running
from qviz.ui.doctor.asked import Asked, asked
from qviz.ui.doctor.cards import cards, shown
from qviz.ui.doctor.subject import Seeing, seeing
from qviz.ui.notices import notices, palette, plain, plot

FIRST = "teaching::outlier_channel"
UNASKED = 6  # rules named that could not look


def body(choice: Choice) -> None:
    """Heading, controls, and the view. No fragment: Apply changes the sidebar too."""
    head = st.container()
    notices(choice)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whole = every.switch(choice)
        question = asked(choice)
    try:
        if whole:
            every.view(choice, question, head)
        else:
            _one(choice, question, head)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")


def _one(choice: Choice, question: Asked, head: Any) -> None:
    seen = seeing(choice, question)
    title, more = _title(question, seen)
    head.markdown(f"### {plain(title)}")
    head.caption(plain(" ".join(filter(None, (more, _caption(choice, question), _alike(seen))))))
    running.offer(choice)
    if seen.found.findings:
        left, right = st.columns([1, 2], gap="medium")
        finding = shown(seen.found)
        with left:
            cards(seen.found, finding)
        with right:
            detail.panel(choice, question, seen, finding)
    elif seen.facts.bins is not None:
        figure = kept_range(seen.facts.bins, seen.facts.covered, (), palette())
        plot(figure, "doctor-picture", "The data, and the range that the codes cover")
    _below(seen)


def _title(question: Asked, seen: Seeing) -> tuple[str, str]:
    """The worst finding; or that it is refused and why, and what is to be said below of that."""
    refusal = question.refused or seen.refused
    told = question.given is None and seen.faulty  # a finding says why
    if not refusal or (told and not question.refused):
        return heading(seen.found), ""
    first, _, rest = refusal.partition(". ")
    said = f"Refused: {first[:1].lower()}{first[1:].removesuffix('.')}"
    return (said, rest) if len(said) <= MOST else (shorten(said, MOST), refusal)


def _caption(choice: Choice, question: Asked) -> str:
    rule = OBSERVERS.title_of(question.observer)
    if question.coded:
        return f"{choice.about}, taken as codes."
    if question.given is not None:
        rule = "scale and zero point as typed"
    return f"{choice.about}; {choice.scheme}, {rule}."


def _alike(seen: Seeing) -> str:
    data = seen.facts.data
    if data is None or data[0] != data[1]:
        return ""
    return f"Every value is {number(data[0])}: a range that holds it loses nothing else."


def _below(seen: Seeing) -> None:
    """How many rules looked, and why the others could not."""
    found = seen.found
    looked, fired = found.looked - len(found.skipped), len(found.findings)
    st.caption(f"{looked} rules looked; {fired} fired, {looked - fired} did not.")
    with st.expander("What was looked for"):
        lines = [f"{n}: {RULES.entry(n).title}" for n in RULES if n not in found.skipped]
        st.markdown("  \n".join(plain(line) for line in lines))
    if not found.skipped:
        return
    with st.expander(f"{len(found.skipped)} rules could not look, and why"):
        reasons = Counter(found.skipped.values())
        for reason, _ in reasons.most_common():
            rules = [name for name, why in found.skipped.items() if why == reason]
            more = f" and {len(rules) - UNASKED} more" if len(rules) > UNASKED else ""
            st.markdown(f"**{', '.join(rules[:UNASKED])}{more}**: {plain(reason)}")
