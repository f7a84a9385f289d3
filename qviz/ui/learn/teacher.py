"""For teachers: a link to each lesson, what to say, and the wrong answers that will come."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from qviz.figures.numbers import number
from qviz.ui.lessons.base import Lesson, Question
from qviz.ui.notices import plain

OPENED = "learn_opened"  # a lesson was opened from here


def show(lessons: tuple[tuple[str, Lesson], ...]) -> None:
    """One fold for each lesson."""
    st.markdown("### An hour of ten lessons, six minutes each")
    st.caption(
        "Ask for a guess before anyone touches a control: predict, then look. Answers are "
        "computed from the tensor on screen. First tries are kept in this session and in the "
        "address, nowhere else."
    )
    for name, lesson in lessons:
        with st.expander(f"{lesson.number} {lesson.title}"):
            st.markdown(plain(lesson.say))
            st.button(
                f"Open lesson {lesson.number}", icon=":material/school:", key=f"teach-{name}",
                on_click=_open, args=(name,),
            )  # fmt: skip
            st.caption("Its address; change a value to start from another state:")
            st.code(_address(name, lesson), language=None)
            for variant in (False, True):
                _answers(lesson.question(variant))


def _open(name: str) -> None:
    st.session_state["lesson"] = name
    st.session_state[OPENED] = True


def _address(name: str, lesson: Lesson) -> str:
    """Path and parameters of a lesson with its controls where they start."""
    words = {c.name: c.words(v) for c in lesson.controls for v in [lesson.start[c.name]]}
    return "/Learn?" + urlencode({"lesson": name} | {f"{name}_{k}": v for k, v in words.items()})


def _answers(question: Question) -> None:
    """The question, its answer, and what other answers reveal."""
    st.markdown(f"**{plain(question.text)}** {plain(_written(question, question.value))}")
    for known in question.known:
        st.markdown(f"- **{plain(_written(question, known.value))}**: {plain(known.says)}")


def _written(question: Question, value: float) -> str:
    if question.choices:
        return question.choices[int(value)]
    return f"{number(value, 4)} {question.unit}".strip()
