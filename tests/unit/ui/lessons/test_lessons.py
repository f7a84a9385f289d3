"""Every answer of the lessons, base and variant, against figures worked out elsewhere."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest

from qviz.figures.theme import DARK, LIGHT
from qviz.ui.lessons import loud_channel, memory
from qviz.ui.lessons.base import grade, in_order
from qviz.ui.lessons.engine import affine, metric, symmetric
from qviz.ui.lessons.frameworks import SHOWN, asked
from qviz.ui.lessons.integers import WEIGHT_STEP, layer
from qviz.ui.lessons.tasks import KEEPS, TASKS, output_sqnr, quiet_sqnr
from qviz.ui.lessons.tensors import half_zeros
from qviz.ui.lessons.training import BASE, path, terms

LESSONS = dict(in_order())
ANSWERS = {  # lesson: (base, variant)
    "steps": (0.75, 1.25),
    "bits": (42.01, 29.54),
    "clip_or_round": (4.82, 3.5),
    "zero": (64, 99),
    "unused_codes": (86, 65),
    "loud_channel": (7, 19),
    "memory": (97.06, 9.73),
    "integers": (8, -18),
    "training": (0.884, -1.116),
}
WRONG = {  # lesson: answers to the base question, and a word of the sentence that meets each
    "steps": {0.5: "cut", 0.66: "remember", 3: "code", 2.64: "quotient", 0.7: "decimals"},
    "bits": {48.1: "one bit", 40.6: "scale", 13.5: "quarter", 27: "quarter", 54.2: "step"},
    "clip_or_round": {9.9: "Never", 1: "bulk", 2.8: "suits", 3.5: "suits", 7: "largest code"},
    "zero": {63: "cut", 128: "middle", 0: "lower end", 85: "upper end"},
    "unused_codes": {256: "min, max", 170: "unused", 128: "Half"},
    "loud_channel": {255: "98.3%", 4: "one side", 1: "344"},
    "memory": {25.75: "plain mean", 100: "running", 1: "swapped", 1.99: "swapped",
               98.01: "updates", 99.01: "updates"},
    "integers": {18: "forgets", 28: "subtracts", 0.92: "real value", 127: "32-bit"},
    "training": {1.71: "held fixed", 1: "ignored", 4: "not to maxq", 0.17: "documented",
                 0: "step function"},
}  # fmt: skip


def test_there_are_ten_lessons_in_order():
    assert [lesson.number for lesson in LESSONS.values()] == list(range(1, 11))
    assert set(LESSONS) - set(ANSWERS) == {"frameworks"}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name):
    for variant, answer in enumerate(ANSWERS[name]):
        question = LESSONS[name].question(bool(variant))
        assert question.value == pytest.approx(answer, rel=1e-3, abs=5e-4 + question.tolerance / 20)
        assert grade(question, answer).right


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_is_met_by_its_sentence(name):
    question = LESSONS[name].question()
    for given, words in WRONG[name].items():
        verdict = grade(question, given)
        assert not verdict.right
        assert words in verdict.says, given


@pytest.mark.parametrize("name", LESSONS)
def test_an_answer_that_nobody_foresaw_is_met_with_the_working(name):
    question = LESSONS[name].question(variant=True)
    verdict = grade(question, -12345.678)
    assert not verdict.right
    assert verdict.says == question.working
    assert not grade(question, math.nan).right


def test_signed_codes_and_fence_posts_are_accepted():
    assert grade(LESSONS["zero"].question(), -64).right
    assert "signed" in grade(LESSONS["zero"].question(), -64).says
    assert grade(LESSONS["unused_codes"].question(), 85).right
    assert "both ends count" in grade(LESSONS["unused_codes"].question(), 85).says


def test_two_frameworks():
    base, variant = (LESSONS["frameworks"].question(v) for v in (False, True))
    assert base.choices[int(base.value)] == "2 for every value"
    assert variant.choices[int(variant.value)] == "42 and 43"
    found = {title: asked(name, -0.5, 2.5) for title, name in SHOWN.items()}
    points = {"torch": 42, "TF fake_quant": 43, "ONNX Runtime": 42, "MindSpore": -85}
    assert {title: made.zero_point for title, made in found.items()} == points
    assert found["torch"].covered == pytest.approx((-0.4941, 2.5059), abs=1e-4)
    assert found["TF fake_quant"].covered == pytest.approx((-0.5059, 2.4941), abs=1e-4)
    tiny = {title: asked(name, -1e-8, 1e-8) for title, name in SHOWN.items()}
    points = {"torch": 0, "TF fake_quant": 128, "ONNX Runtime": 128, "MindSpore": 0}
    assert {title: made.zero_point for title, made in tiny.items()} == points
    assert tiny["torch"].scale == pytest.approx(1.19e-7, rel=2e-3)
    assert tiny["ONNX Runtime"].scale == pytest.approx(7.84e-11, rel=1e-3)


def test_rows_agree_once_the_tie_is_gone():
    lesson = LESSONS["frameworks"]
    assert lesson.heading({"lo": -0.5, "hi": 2.5}) == "Four rules, 2 zero points on [−0.5, 2.5]"
    assert lesson.heading({"lo": -0.5, "hi": 2.505}).startswith("Four rules agree: 0 is code 42")
    assert lesson.heading({"lo": 4.0, "hi": 6.0}).startswith("Four rules, 2 steps")
    assert "no rule has an answer" in lesson.heading({"lo": 6.0, "hi": 4.0})


def test_the_band_is_that_of_the_step_that_all_share():
    lesson = LESSONS["loud_channel"]
    half = {}
    for keep in ("largest", "p99"):
        layout = lesson.pictures({"per": "tensor", "keep": keep}, LIGHT, True)[0].figure["layout"]
        half[keep] = float(np.sinh(layout["shapes"][0]["x1"]))
    assert half == pytest.approx({"largest": 1.342 / 2, "p99": 27.70 / 127 / 2}, rel=2e-3)
    for per in ("channel", "token"):
        layout = lesson.pictures({"per": per, "keep": "largest"}, LIGHT, True)[0].figure["layout"]
        assert layout["shapes"] == []


def test_a_dead_channel_breaks_the_bias_not_the_weight():
    usual, dead = layer(WEIGHT_STEP, 0.02), layer(1e-9, 0.02)
    assert dead.w_codes.tolist() == usual.w_codes.tolist()
    assert dead.bias_code == pytest.approx(0.06 / (1.25 / 255 * 1e-9), rel=1e-6)
    assert dead.bias_code > 2**31 - 1 > usual.bias_code


def test_decibels_by_bits():
    x = 3 * (np.arange(4096) + 0.5) / 4096
    for bits, db in {4: 29.54, 5: 35.85, 6: 42.01, 7: 48.10, 8: 54.15}.items():
        assert metric("sqnr", x, affine(0, 3, bits)) == pytest.approx(db, abs=0.005)
        assert metric("rmse_steps", x, affine(0, 3, bits)) == pytest.approx(0.2887, abs=5e-5)
    relu = half_zeros()
    assert metric("sqnr", relu, affine(0, relu.max())) == pytest.approx(47.2, abs=0.05)
    assert metric("sqnr", relu, symmetric(relu.max())) == pytest.approx(41.2, abs=0.05)
    assert metric("rmse_steps", relu, affine(0, relu.max())) == pytest.approx(0.204, abs=5e-4)


@pytest.mark.parametrize(
    ("per", "keep", "whole", "quiet"),
    [
        ("tensor", "largest", 25.8, 8.2),
        ("tensor", "p99", 3.6, 24.0),
        ("token", "largest", 35.2, 17.6),
        ("channel", "largest", 43.7, 43.3),
    ],
)
def test_one_loud_channel(per, keep, whole, quiet):
    assert loud_channel.sqnr(per, keep) == pytest.approx((whole, quiet), abs=0.05)


@pytest.mark.parametrize(
    ("rule", "end", "reverse"),
    [
        ("minmax", 100, 100),
        ("torch.moving_average", 97.06, 1.99),
        ("mindspore.default", 1, 100),
        ("mindspore.ema@doc", 6.0787, 6.0790),
        ("mindspore.ema@gpu", 1.00, 99.9),
    ],
)
def test_what_observers_remember(rule, end, reverse):
    assert memory.upper(rule, (100, 1, 1, 1))[-1] == pytest.approx(end, rel=5e-5)
    assert memory.upper(rule, (1, 1, 1, 100))[-1] == pytest.approx(reverse, rel=5e-5)


def test_how_long_an_average_remembers():
    assert memory.batches_until_below(2.0) == 458


def test_the_ledger():
    made = layer(WEIGHT_STEP, 0.02)
    assert made.x_codes.tolist() == [153, 0, 255, 204]
    assert made.w_codes.tolist() == [57, -127, 32, 95]
    assert (made.products, made.correction, made.bias_code) == (36_261, 2_907, 3_886)
    assert made.factor == pytest.approx(0.00077196, rel=1e-4)
    assert made.code == 9


def test_the_gradient_and_the_way_of_a_learned_range():
    assert terms(BASE, 1.0) == pytest.approx([0.0286, -0.0571, -0.0443, -0.0429, 1], abs=5e-5)
    from_below, from_above = path(0.2, 60), path(8.0, 60)
    assert from_below[1][0] > 1
    assert all(a[0] >= b[0] for a, b in pairwise(from_above))
    assert from_below[-1][1] < from_below[0][1] / 5


def test_closing_tasks():
    assert [output_sqnr(k) for k in KEEPS] == pytest.approx([32.5, 30.6, 17.7, 3.4], abs=0.05)
    assert [quiet_sqnr(k) for k in KEEPS] == pytest.approx([8.2, 9.0, 12.1, 24.0], abs=0.05)
    happened, repaired = TASKS[0].questions()
    assert "lower tail" in happened.choices[int(happened.value)]
    assert grade(repaired, 40.9).right
    assert not grade(repaired, 40.5).right
    observer, number = TASKS[1].questions()
    assert observer.choices[int(observer.value)] == "largest magnitude"
    assert "output" in number.choices[int(number.value)]
    misled = grade(observer, observer.choices.index("percentile 99"))
    assert not misled.right
    assert "24.0 dB" in misled.says


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", LESSONS)
def test_pictures_of_the_start(name, palette):
    lesson = LESSONS[name]
    assert len(lesson.before) <= 90
    assert len(lesson.heading(lesson.start)) <= 90
    for shown in (False, True):
        pictures = lesson.pictures(lesson.start, palette, shown)
        text = json.dumps([p.figure for p in pictures], default=lambda a: a.tolist())
        assert "NaN" not in text
        assert len(text) < 40_000
    hidden = json.dumps(
        [p.figure for p in lesson.pictures(lesson.start, palette, False)],
        default=lambda a: a.tolist(),
    )
    assert hidden != text  # what gives the answer away is not there before a guess


@pytest.mark.parametrize("name", LESSONS)
def test_every_control_moves_the_picture_or_the_heading(name):
    lesson = LESSONS[name]

    def seen(state):
        pictures = [p.figure for p in lesson.pictures(state, LIGHT, True)]
        return lesson.heading(state), json.dumps(pictures, default=lambda a: a.tolist())

    for control in lesson.controls:
        if control.options:
            other = next(option for option in control.options if option != control.start)
        elif control.typed:
            other = control.start + 0.5
        elif control.step is None:
            other = not control.start
        else:
            other = control.high if control.start != control.high else control.low
        assert seen(lesson.start | {control.name: other}) != seen(lesson.start)
