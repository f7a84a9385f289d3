"""For teachers: a link to each lesson, what to say, and the wrong answers that will come."""

from __future__ import annotations

import streamlit as st

from qviz.figures.numbers import number
from qviz.ui.lessons.base import Lesson, Question
from qviz.ui.notices import plain


def show(lessons: tuple[tuple[str, Lesson], ...]) -> None:
    """One fold for each lesson."""
    st.markdown("### An hour of ten lessons, six minutes each")
    st.caption(
        "Ask for a guess before anyone touches a control: predict, then look. Answers are "
        "computed from the tensor on screen; nothing is recorded outside the browser's session."
    )
    for name, lesson in lessons:
        with st.expander(f"{lesson.number} {lesson.title}"):
            st.markdown(plain(lesson.say))
            st.page_link(
                "pages/9_Learn.py", label=f"Open lesson {lesson.number}", icon=":material/school:",
                query_params={"lesson": name},
            )  # fmt: skip
            for variant in (False, True):
                _answers(lesson.question(variant))


def _answers(question: Question) -> None:
    """The question, its answer, and what other answers reveal."""
    st.markdown(f"**{plain(question.text)}** {plain(_written(question, question.value))}")
    st.dataframe(
        {
            "answer": [_written(question, known.value) for known in question.known],
            "what it reveals": [known.says for known in question.known],
        },
        hide_index=True,
        width="stretch",
        row_height=31,
        alt="Common wrong answers",
    )


def _written(question: Question, value: float) -> str:
    if question.choices:
        return question.choices[int(value)]
    return f"{number(value, 4)} {question.unit}".strip()
