"""Body of the Learn page: ten lessons, closing tasks, words and formulas, notes for teachers."""

from __future__ import annotations

import streamlit as st

from qviz.ui.choice import Choice
from qviz.ui.learn import closing, glossary, lesson, teacher
from qviz.ui.learn.score import remember, told_score
from qviz.ui.lessons.base import Lesson, in_order

VIEWS = {"lessons": "Lessons", "closing": "Closing tasks", "words": "Words", "teach": "Teachers"}
WRITTEN = "lesson_in_address"


def body(choice: Choice) -> None:
    """A list of lessons in the sidebar; on the page one lesson, or another of the views."""
    lessons = in_order()
    remember([name for name, _ in lessons])
    with st.sidebar:
        if st.session_state.pop(teacher.OPENED, False):
            st.session_state["learn_view"] = "lessons"
        view = st.segmented_control(
            "View", list(VIEWS), default="lessons", format_func=VIEWS.__getitem__,
            key="learn_view", bind="query-params", required=True, label_visibility="collapsed",
        )  # fmt: skip
        name = _list(lessons) if view == "lessons" else lessons[0][0]
    if view == "closing":
        closing.show(lessons)
    elif view == "words":
        glossary.show()
    elif view == "teach":
        teacher.show(lessons)
    else:
        lesson.show(lessons, name)


def _list(lessons: tuple[tuple[str, Lesson], ...]) -> str:
    """The lesson that was chosen, by name; the address names it too."""
    labels = {name: f"{made.number} {made.title}" for name, made in lessons}
    state, last = st.session_state, st.session_state.get(WRITTEN)
    asked = st.query_params.get("lesson", last)
    if asked in labels and (asked != last or "lesson" not in state):
        state["lesson"] = asked
    chosen = st.radio("Lessons", list(labels), format_func=labels.__getitem__, key="lesson")
    told = told_score({name: made.number for name, made in lessons})
    if told:
        st.caption(told)
    state[WRITTEN] = chosen
    if st.query_params.get("lesson") != chosen:
        st.query_params["lesson"] = chosen
    return chosen
