"""Lesson 1: a code counts steps."""

from __future__ import annotations

import math

import numpy as np

from qviz.figures.lesson_steps import staircase
from qviz.figures.numbers import integer, number
from qviz.figures.theme import Palette
from qviz.quantizers.affine import AffineQuantizer, typed
from qviz.ui.lessons.base import (
    AFFINE,
    LESSONS,
    SOURCE,
    Control,
    Known,
    Lesson,
    Link,
    Picture,
    Question,
    State,
)
from qviz.ui.lessons.engine import codes, returned

TENSOR = np.array([-2.5, -0.9, -0.1, 0, 0.3, 0.66, 1.1, 1.6])
STEP = 0.25


def grid(step: float) -> AffineQuantizer:
    """Signed codes of 4 bits; 0 is code 0."""
    return typed(step, 0, -8, 7)


def snapped(x: float, step: float) -> tuple[float, int]:
    """What comes back of a value, and its code."""
    value, made = np.array([x]), grid(step)
    return float(returned(value, made)[0]), int(codes(value, made)[0])


@LESSONS.register("steps", title="Lesson 1", source=SOURCE)
class Steps(Lesson):
    """Store how many steps, not the number."""

    number = 1
    title = "A code counts steps"
    before = "Which value comes back?"
    idea = (
        "Pick a step and store how many steps, not the number. What comes back is the nearest "
        "multiple: the error is at most half a step. Beyond the last code all pile up on the end."
    )
    attempt = (
        "Find the value with the largest error inside the range (half a step, 0.125), then move "
        "beyond 1.75."
    )
    say = "Write 0.66 on the board, and the step 0.25. Ask what is stored, then what comes back."
    controls = (
        Control("step", "Step", STEP, low=0.05, high=1.0, step=0.05),
        Control("x", "Value", -1.3, low=-3.0, high=3.0, step=0.01),
    )
    link = Link(
        "pages/2_Grid.py",
        "See the grid of your own tensor",
        AFFINE | {"bits": "4", "signed": "true"},
    )

    def question(self, variant: bool = False) -> Question:
        x = 1.13 if variant else 0.66
        back, code = snapped(x, STEP)
        steps = x / STEP
        return Question(
            f"Signed 4 bits, step {STEP}. Which value comes back for {x}?",
            back,
            0.001,
            f"{x} is {number(steps)} steps; the nearest whole number is code {integer(code)}, and "
            f"{code} × {STEP} = {number(back)}.",
            (
                Known(
                    math.floor(steps) * STEP,
                    "That is cut instead of rounded: it doubles the worst error and pulls "
                    "everything towards zero.",
                    0.001,
                ),
                Known(x, "A code does not remember the number; only the steps survive.", 0.001),
                Known(code, "That is the code. Multiply by the step to come back.", 0.001),
                Known(steps, "That is the quotient. Round it, then multiply by the step.", 0.01),
                Known(
                    round(x, 1),
                    f"That rounds decimals; the levels are multiples of {STEP}.",
                    0.001,
                ),
            ),
        )

    def heading(self, state: State) -> str:
        x, step = state["x"], state["step"]
        back, code = snapped(x, step)
        off = abs(back - x) / step
        tail = "it is clipped" if off > 0.5 + 1e-9 else f"off by {number(off, 2)} steps"
        return (
            f"{number(x, 4)} is stored as code {code} and comes back as {number(back, 4)}: {tail}"
        )

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        x, step = state["x"], state["step"]
        back, _ = snapped(x, step)
        figure = staircase(grid(step).levels()[0], step, x, back, palette, shown)
        return (Picture(figure, "Number line with 16 levels, staircase and error"),)
