"""Body of the Learn page: ten lessons, closing tasks, words and formulas, notes for teachers."""

from __future__ import annotations

import streamlit as st

from qviz.ui.choice import Choice
from qviz.ui.learn import closing, glossary, lesson, teacher
from qviz.ui.learn.score import marks
from qviz.ui.lessons.base import Lesson, in_order

VIEWS = {"lessons": "Lessons", "closing": "Closing tasks", "words": "Words", "teach": "Teachers"}
WRITTEN = "lesson_in_address"


def body(choice: Choice) -> None:
    """A list of lessons in the sidebar; on the page one lesson, or another of the views."""
    lessons = in_order()
    with st.sidebar:
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
    labels = {name: f"{made.number} {made.title}{marks(name)}" for name, made in lessons}
    asked = st.query_params.get("lesson")
    if asked in labels and asked != st.session_state.get(WRITTEN):
        st.session_state["lesson"] = asked
    chosen = st.radio(
        "Lessons", list(labels), format_func=labels.__getitem__, key="lesson",
        persist_state="session",
    )  # fmt: skip
    st.query_params["lesson"] = st.session_state[WRITTEN] = chosen
    return chosen
