"""Lesson 9: training through a staircase."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from qviz.figures.lesson_training import gradient_terms, way_of_maxq
from qviz.figures.numbers import number
from qviz.figures.theme import Palette
from qviz.quantizers.base import QUANTIZERS, Grads, Quantizer
from qviz.spec import QuantSpec, Range
from qviz.ui.lessons.base import (
    LESSONS,
    SOURCE,
    SYMMETRIC,
    Control,
    Known,
    Lesson,
    Link,
    Picture,
    Question,
    State,
)
from qviz.ui.lessons.clip_or_round import tensor

BASE, VARIANT = (-0.6, 0.2, 0.33, 0.9, 1.4), (-1.5, -0.6, 0.2, 0.33, 0.9)
BITS, CODES = 4, 7
RATE = 2.0
VIEW = {"bits": "4", "fake_quant_view": "Learned scale"}
LEAST = 0.05  # below it maxq has no grid left
CURVE = np.geomspace(0.2, 9.9, 60)
MODE = "mindspore.learned_scale@{}:neg_trunc=False"


def grid(maxq: float, reading: str = "gpu") -> Quantizer:
    """LEARNED_SCALE with 4 bits: 7 steps to maxq, no negative truncation."""
    spec = QuantSpec(BITS, signed=True, symmetric=True, narrow_range=True)
    mode: Any = QUANTIZERS.make(MODE.format(reading))
    return mode.quantizer(Range(*np.array([-maxq, maxq])), spec)


def gradients(x: np.ndarray, quantizer: Quantizer, upstream: np.ndarray) -> Grads:
    """Gradients of one row of values, float32."""
    rows = np.asarray(x, np.float32).reshape(1, -1)
    return quantizer.backward(rows, np.asarray(upstream, np.float32).reshape(1, -1))


def terms(values: tuple[float, ...], maxq: float, reading: str = "gpu") -> np.ndarray:
    """Terms of the gradient to maxq, upstream gradient 1 for each value."""
    x = np.array(values)
    return np.asarray(gradients(x, grid(maxq, reading), np.ones(x.size)).parameters["maxq"])[0]


def mean_squared_error(maxq: float) -> float:
    """Of the Laplace values of lesson 3."""
    x = tensor().astype(np.float32).reshape(1, -1)
    return float(((np.asarray(grid(maxq).fake_quantize(x), np.float64) - x) ** 2).mean())


@cache
def curve() -> np.ndarray:
    """The error at each maxq of CURVE."""
    return np.array([mean_squared_error(float(clip)) for clip in CURVE])


@cache
def path(start: float, steps: int) -> tuple[tuple[float, float], ...]:
    """The values of maxq, each with its error, under gradient steps with rate RATE."""
    if steps == 0:
        return ((start, mean_squared_error(start)),)
    before = path(start, steps - 1)
    maxq, x = before[-1][0], tensor().astype(np.float32)
    made = grid(maxq)
    error = np.asarray(made.fake_quantize(x.reshape(1, -1)), np.float64)[0] - x
    found = np.asarray(gradients(x, made, 2 * error / x.size).parameters["maxq"], np.float64)
    maxq = max(maxq - RATE * float(found.sum()), LEAST)
    return (*before, (maxq, mean_squared_error(maxq)))


@LESSONS.register("training", title="Lesson 9", source=SOURCE)
class Training(Lesson):
    """A learned range gets a gradient from what is clipped and from what is rounded."""

    number = 9
    title = "Training through a staircase"
    before = "What gradient does the range get?"
    idea = (
        "A staircase has slope 0, so training pretends: gradient 1 inside the range, 0 outside. "
        "A learned range gets ±1 from each clipped value and (returned - given) / maxq from each "
        "rounded one: clipped values pull it out, rounding errors settle it."
    )
    attempt = "Start maxq at 0.2 and at 5: from which side does it arrive, and where?"
    say = "Ask where the gradient of a clipped value goes: not to the value, but to the range."
    controls = (
        Control("maxq", "maxq at the start", 1.0, low=0.2, high=8.0, step=0.1),
        Control("steps", "Gradient steps", 0, low=0, high=60, step=1),
    )
    link = Link("pages/3_Fake_quant.py", "A learned scale on your own tensor", SYMMETRIC | VIEW)

    def question(self, variant: bool = False) -> Question:
        values = VARIANT if variant else BASE
        each = terms(values, 1.0)
        x, inside = np.array(values), np.abs(np.array(values)) <= 1
        fixed = float(np.sum(np.clip(np.rint(x * CODES), -CODES, CODES) / CODES))
        clipped = float(each[~inside].sum())
        told = ", ".join(number(v) for v in each.tolist())
        listed = ", ".join(number(v) for v in values)
        return Question(
            f"LEARNED_SCALE, 4 bit (7 steps to maxq), maxq = 1, values {listed}, upstream "
            "gradient 1 for each. What is the sum of the gradient to maxq?",
            float(each.sum()),
            0.01,
            f"The terms are {told}.",
            (
                Known(
                    fixed,
                    "That is the slope with the codes held fixed, as a finite difference gives "
                    "it: without the straight-through term.",
                    0.01,
                ),
                Known(clipped, "Rounding is ignored: only the clipped value is counted.", 0.005),
                Known(
                    float(inside.sum()), "That is the gradient to the values, not to maxq.", 0.01
                ),
                Known(
                    float(terms(values, 1.0, "doc").sum()),
                    "That is the formula as documented: it rounds value / maxq to whole numbers "
                    "and forgets the number of steps.",
                    0.01,
                ),
                Known(0.0, "A step function has none; training pretends that it has.", 0.005),
            ),
        )

    def heading(self, state: State) -> str:
        start, steps = state["maxq"], int(state["steps"])
        total = float(terms(BASE, start).sum())
        if not steps:
            return f"At maxq = {number(start)} the terms of its gradient sum to {number(total)}"
        return (
            f"{steps} gradient steps bring maxq from {number(start)} to {number(self._end(state))}"
        )

    def _end(self, state: State) -> float:
        return path(state["maxq"], int(state["steps"]))[-1][0]

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        maxq, x = state["maxq"], np.array(BASE)
        to_x = np.asarray(gradients(x, grid(maxq), np.ones(x.size)).input)[0]
        left = gradient_terms(x, to_x, terms(BASE, maxq), palette, shown)
        right = way_of_maxq(CURVE, curve(), path(maxq, int(state["steps"])), RATE, palette)
        return (
            Picture(left, "Gradient to each value and terms of the gradient to maxq"),
            Picture(right, "The way of maxq on the error curve of lesson 3"),
        )
