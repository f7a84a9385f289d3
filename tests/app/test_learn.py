"""Learn: ten lessons by hand, predict and then look."""

from functools import partial

import pytest

from qviz.report.catalogue import catalogue
from qviz.ui.learn.words import WORDS
from qviz.ui.lessons.base import in_order
from qviz.ui.lessons.tasks import TASKS
from tests.app.reading import figures, heading, well, words

LESSONS = in_order()
NAMES = [name for name, _ in LESSONS]


@pytest.fixture
def learn(open_app):
    return partial(open_app, page="9_Learn.py")


def answer(at, name, value, variant=False):
    key = f"answer-{name}-{variant}"
    if any(radio.key == key for radio in at.radio):
        at.radio(key=key).set_value(value)
    else:
        at.number_input(key=key).set_value(value)
    next(b for b in at.button if b.label == "Check").click()
    return well(at.run())


def controls(at, name):
    kinds = (at.slider, at.toggle, at.segmented_control, at.number_input)
    return [w for kind in kinds for w in kind if w.key and w.key.startswith(f"{name}_")]


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_opens_its_controls_after_a_guess(learn, name):
    at, lesson = learn(lesson=name), dict(LESSONS)[name]
    assert heading(at) == lesson.before
    assert len(controls(at, name)) == len(lesson.controls)
    assert all(widget.disabled for widget in controls(at, name))
    question = lesson.question()
    answer(at, name, question.value if not question.choices else int(question.value))
    well(at.run())  # the list in the sidebar shows it
    assert len(at.success) == 1
    assert heading(at) == lesson.heading(lesson.start)
    assert not any(widget.disabled for widget in controls(at, name))
    assert any(
        words(m.value).startswith("**Try this") or "Try this" in m.value for m in at.markdown
    )


def test_a_wrong_guess_is_met_by_its_sentence_and_other_numbers(learn):
    at = learn(lesson="zero")
    answer(at, "zero", 128)
    assert "only if the range is symmetric" in at.warning[0].value
    assert all(widget.disabled for widget in controls(at, "zero"))
    well(at.button(key="variant-zero").click().run())
    assert any("0.7, 1.1" in words(m.value) for m in at.markdown)
    answer(at, "zero", 99, variant=True)
    assert len(at.success) == 1
    assert not any(widget.disabled for widget in controls(at, "zero"))


def test_an_empty_check_is_told(learn):
    at = learn(lesson="steps")
    next(b for b in at.button if b.label == "Check").click()
    well(at.run())
    assert any("Give an answer first" in c.value for c in at.caption)
    assert not at.success and not at.warning


def test_first_tries_come_back_with_the_address(learn):
    at = learn(lesson="steps")
    answer(at, "steps", 0.75)
    well(at.run())
    assert at.query_params["tries"][0] in ("1---------", "1")
    again = learn(tries="10--------")
    well(again.segmented_control(key="learn_view").set_value("closing").run())
    assert heading(again) == "1 of 10 right at first try"


def test_a_teacher_opens_a_lesson(learn):
    at = learn(learn_view="Teachers")
    well(at.button(key="teach-memory").click().run())
    assert heading(at) == dict(LESSONS)["memory"].before
    linked = learn(lesson="clip_or_round", clip_or_round_clip="2.0")
    assert linked.slider(key="clip_or_round_clip").value == 2.0


def test_a_control_moves_the_finding(learn):
    at = learn(lesson="clip_or_round")
    answer(at, "clip_or_round", 4.8)
    before, drawn = heading(at), figures(at)
    well(at.slider(key="clip_or_round_clip").set_value(8.0).run())
    assert heading(at) != before
    assert figures(at) != drawn


def test_the_score_counts_first_tries(learn):
    at = learn(lesson="steps")
    answer(at, "steps", 0.5)
    answer(at, "steps", 0.75)
    well(at.button(key="step-bits").click().run())
    assert heading(at) == dict(LESSONS)["bits"].before
    answer(at, "bits", 42.0)
    well(at.segmented_control(key="learn_view").set_value("closing").run())
    assert heading(at) == "1 of 10 right at first try"
    assert any("A code counts steps" in c.value for c in at.caption)


def test_closing_tasks_are_graded(learn):
    at = learn(learn_view="Closing tasks")
    for task in TASKS:
        for number, question in enumerate(task.questions()):
            key = f"answer-{task.name}-{number}"
            if question.choices:
                at.radio(key=key).set_value(int(question.value))
            else:
                at.number_input(key=key).set_value(question.value)
    for button in [b for b in at.button if b.label == "Check"]:
        button.click()
    well(at.run())
    assert len(at.success) == sum(len(task.questions()) for task in TASKS)


def test_words_and_formulas_come_from_one_place(learn):
    at = learn(learn_view="Words")
    assert heading(at) == f"{len(WORDS)} words"
    for kind, label in {"observer": "observers", "mode": "modes", "metric": "metrics"}.items():
        well(at.segmented_control(key="learn_kind").set_value(kind).run())
        count = sum(item.kind == kind for item in catalogue())
        assert heading(at) == f"{count} {label}"
    well(at.text_input(key="learn_search").set_value("jensen").run())
    assert heading(at).startswith("1 metric")
    well(at.text_input(key="learn_search").set_value("nothing like it").run())
    assert len(at.info) == 1


def test_the_teachers_page_shows_every_answer(learn):
    at = learn(learn_view="Teachers")
    assert len(at.expander) >= 10
    shown = " ".join(words(m.value) for m in at.markdown)
    for _, lesson in LESSONS:
        assert lesson.question().text in shown
        assert lesson.question(variant=True).text in shown
