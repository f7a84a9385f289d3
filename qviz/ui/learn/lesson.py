"""One lesson on screen: predict, then look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from qviz.ui.learn.score import Tries, keep, tries
from qviz.ui.lessons.base import Control, Lesson, Question, grade
from qviz.ui.notices import palette, plain, plot

EMPTY, FRESH = "learn_empty", "learn_fresh"
Named = tuple[tuple[str, Lesson], ...]


@st.fragment
def show(lessons: Named, name: str) -> None:
    """Heading, idea, controls, picture, question; previous and next by name."""
    if st.session_state.pop(FRESH, False):
        st.rerun()  # the list in the sidebar shows what was right
    at = [key for key, _ in lessons].index(name)
    lesson, head = lessons[at][1], st.container()
    done = tries(name)
    state = _controls(name, lesson, locked=not done.opened)
    told = lesson.heading(state) if done.opened else lesson.before
    head.markdown(f"### {plain(told)}")
    head.caption(plain(f"Lesson {lesson.number} of {len(lessons)}. {lesson.idea}"))
    _pictures(name, lesson, state, shown=done.opened)
    _question(lessons, at, done)


def _controls(name: str, lesson: Lesson, *, locked: bool) -> dict[str, Any]:
    """Values on screen; the controls are held until a guess is given."""
    columns = st.columns(max(len(lesson.controls), 1))
    state = {}
    for column, control in zip(columns, lesson.controls, strict=False):
        with column:
            state[control.name] = _control(control, f"{name}_{control.name}", locked)
    if locked:
        st.caption("The controls open once you have answered below; a guess is enough.")
    return state


def _control(control: Control, key: str, locked: bool) -> Any:
    bound: Mapping[str, Any] = {"key": key, "bind": "query-params", "disabled": locked}
    if control.options:
        return st.segmented_control(
            control.label, control.options, default=control.start, format_func=control.words,
            required=True, **bound,
        )  # fmt: skip
    if control.typed:
        return st.number_input(
            control.label, control.low, control.high, control.start, format="%g", **bound
        )
    if control.step is None:
        return st.toggle(control.label, control.start, **bound)
    return st.slider(control.label, control.low, control.high, control.start, control.step, **bound)


def _pictures(name: str, lesson: Lesson, state: Mapping[str, Any], *, shown: bool) -> None:
    pictures = lesson.pictures(state, palette(), shown)
    columns = st.columns([picture.share for picture in pictures])
    for i, (column, picture) in enumerate(zip(columns, pictures, strict=True)):
        with column:
            plot(picture.figure, f"lesson-{name}-{i}", picture.alt)


def _question(lessons: Named, at: int, done: Tries) -> None:
    name, lesson = lessons[at]
    question = lesson.question(done.variant)
    with st.container(border=True):
        _answer_box(name, question, done)
        if st.session_state.pop(EMPTY, False):
            st.caption("Give an answer first; a guess is enough.")
        if done.given is not None:
            _verdict(name, lesson, question, done)
    _onward(lessons, at, done.given is not None and grade(question, done.given).right)


def _answer_box(name: str, question: Question, done: Tries) -> None:
    key, said = f"answer-{name}-{done.variant}", f"**Check yourself.** {plain(question.text)}"
    with st.form(f"form-{name}-{done.variant}", border=False):
        if question.choices:
            picks = list(range(len(question.choices)))
            st.radio(
                said, picks, None, format_func=lambda i: plain(question.choices[i]),
                key=key, horizontal=True,
            )  # fmt: skip
            st.form_submit_button("Check", on_click=_check, args=(name, key, question))
            return
        text, box = st.columns([3, 2], vertical_alignment="center")
        text.markdown(said)
        with box.container(horizontal=True, vertical_alignment="bottom"):
            label = f"Your answer{f' ({question.unit})' if question.unit else ''}"
            st.number_input(label, value=None, key=key, format="%g", width=200)
            st.form_submit_button("Check", on_click=_check, args=(name, key, question))


def _check(name: str, key: str, question: Question) -> None:
    """Keep the answer; the controls open with a right one, or after the other numbers."""
    given = st.session_state.get(key)
    st.session_state[EMPTY] = given is None
    if given is None:
        return
    done, right = tries(name), grade(question, given).right
    first = right if done.first is None else done.first
    opened = done.opened or right or done.variant
    keep(name, replace(done, given=float(given), first=first, opened=opened))
    st.session_state[FRESH] = True


def _verdict(name: str, lesson: Lesson, question: Question, done: Tries) -> None:
    verdict = grade(question, done.given or 0.0)
    (st.success if verdict.right else st.warning)(
        plain(verdict.says),
        icon=":material/check_circle:" if verdict.right else ":material/lightbulb:",
    )
    if not verdict.right and not done.variant:
        st.button("Ask me with other numbers", key=f"variant-{name}", on_click=_vary, args=(name,))
    if verdict.right:
        st.markdown(f"**Try this.** {plain(lesson.attempt)}")


def _vary(name: str) -> None:
    keep(name, replace(tries(name), given=None, variant=True))


def _onward(lessons: Named, at: int, right: bool) -> None:
    """Previous and next by name; one's own tensor between them once the answer was right."""
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if at > 0:
            _step(lessons[at - 1], ":material/arrow_back:")
        if right:
            link = lessons[at][1].link
            st.page_link(
                link.page, label=link.label, icon=":material/arrow_outward:",
                query_params=dict(link.settings),
            )  # fmt: skip
        if at + 1 < len(lessons):
            _step(lessons[at + 1], ":material/arrow_forward:")


def _step(named: tuple[str, Lesson], icon: str) -> None:
    name, lesson = named
    if st.button(lesson.title, icon=icon, key=f"step-{name}", on_click=_go, args=(name,)):
        st.rerun()  # the list in the sidebar stands outside this fragment


def _go(name: str) -> None:
    st.session_state["lesson"] = name
