"""Closing tasks without help, and the score of the hour."""

from __future__ import annotations

import streamlit as st

from qviz.ui.learn.score import COMPETENT, Tries, keep, tries
from qviz.ui.lessons.base import Lesson, Question, grade
from qviz.ui.lessons.tasks import TASKS, Task
from qviz.ui.notices import plain


@st.fragment
def show(lessons: tuple[tuple[str, Lesson], ...]) -> None:
    """How many lessons were right at first try, which to see again, and three tasks."""
    right = [name for name, _ in lessons if tries(name).first]
    st.markdown(f"### {len(right)} of {len(lessons)} right at first try")
    again = [lesson.title for name, lesson in lessons if tries(name).first is False]
    st.caption(plain(_summary(len(right), again)))
    for task in TASKS:
        _task(task)


def _summary(right: int, again: list[str]) -> str:
    if again:
        return f"See again: {', '.join(again)}. {COMPETENT} of 10 are enough to go on."
    if right >= COMPETENT:
        return "That is enough: now the tasks, without help."
    return f"{COMPETENT} of 10 are enough to go on. The tasks below give no help."


def _task(task: Task) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(task.title)}** {plain(task.text)}")
        for number, question in enumerate(task.questions()):
            _ask(f"{task.name}-{number}", question)


def _ask(name: str, question: Question) -> None:
    key = f"answer-{name}"
    with st.form(f"form-{name}", border=False):
        if question.choices:
            picks = list(range(len(question.choices)))
            st.radio(
                plain(question.text), picks, None,
                format_func=lambda i: plain(question.choices[i]), key=key,
            )  # fmt: skip
        else:
            st.number_input(question.text, value=None, key=key, format="%g", width=320)
        st.form_submit_button("Check", on_click=_check, args=(name, key))
    given = tries(name).given
    if given is not None:
        verdict = grade(question, given)
        (st.success if verdict.right else st.warning)(plain(verdict.says))


def _check(name: str, key: str) -> None:
    given = st.session_state.get(key)
    if given is not None:
        keep(name, Tries(given=float(given)))
