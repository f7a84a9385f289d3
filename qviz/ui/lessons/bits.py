"""Lesson 2: one bit more, six decibels."""

from __future__ import annotations

from functools import cache

import numpy as np

from qviz.figures.lesson_steps import error_box, sqnr_line
from qviz.figures.numbers import decibels, number
from qviz.figures.theme import Palette
from qviz.quantizers.base import Quantizer
from qviz.sources.distributions import even
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
from qviz.ui.lessons.engine import affine, metric, returned, step_of
from qviz.ui.lessons.tensors import half_zeros

BITS = tuple(range(2, 9))
HIGH = 3.0


@cache
def tensor() -> np.ndarray:
    """4,096 values evenly over [0, 3]."""
    return HIGH * even(4096)


TENSORS = {"even": "Evenly spread", "zeros": "Half zeros"}


def values(name: str) -> np.ndarray:
    """The evenly spread values, or those of which half became 0."""
    return tensor() if name == "even" else half_zeros()


def grid(name: str, bits: int) -> Quantizer:
    """Affine codes over [0, largest value]."""
    return affine(0, HIGH if name == "even" else float(half_zeros().max()), bits)


@cache
def sqnr(bits: int, name: str = "even") -> float:
    """SQNR in dB in so many bits."""
    return metric("sqnr", values(name), grid(name, bits))


@LESSONS.register("bits", title="Lesson 2", source=SOURCE)
class Bits(Lesson):
    """Each bit halves the step; the error power falls to a quarter."""

    number = 2
    title = "One bit more, six decibels"
    before = "At 8 bits the SQNR is 54.2 dB. What do fewer bits cost?"
    idea = (
        "Each bit halves the step, and the error power falls to a quarter: about 6 dB. Pure "
        "rounding has an rmse of 0.2887 steps, whatever the bits. Compare with this yardstick."
    )
    attempt = (
        "Take the half zeros, as behind a ReLU: rmse / step falls to 0.204. Exact zeros cost "
        "nothing, so less than 0.2887 is no better quantizer. More than that means clipping."
    )
    say = "Halve the step: the error halves, its square is a quarter, and a quarter is 6 dB."
    controls = (
        Control("bits", "Bits", 8, options=BITS),
        Control("tensor", "Values", "even", options=tuple(TENSORS), words=TENSORS.__getitem__),
    )
    link = Link(
        "pages/1_Observers.py",
        "SQNR against bits of your own tensor",
        AFFINE | {"panel": "SQNR against bits"},
    )

    def question(self, variant: bool = False) -> Question:
        bits, full = (4 if variant else 6), sqnr(8)
        fewer = 8 - bits
        return Question(
            f"At 8 bits the SQNR is {decibels(full)}. What is it at {bits} bits?",
            sqnr(bits),
            0.5,
            f"{fewer} bits fewer, about 6 dB each: {decibels(sqnr(bits))}.",
            (
                Known(sqnr(7), "That is one bit less only.", 0.5),
                Known(
                    full * bits / 8,
                    f"That scales by {bits}/8: decibels add up, they do not scale.",
                    0.3,
                ),
                *(
                    Known(
                        full / part,
                        "That divides decibels as if they were a power: a quarter of the power "
                        "is 6 dB less.",
                        0.3,
                    )
                    for part in (2**fewer, fewer)
                ),
                Known(full, "The range did not change, but the step did: it decides.", 0.3),
            ),
            unit="dB",
        )

    def heading(self, state: State) -> str:
        bits, name = state["bits"], state["tensor"]
        rmse = metric("rmse_steps", values(name), grid(name, bits))
        return f"{bits} bits: {decibels(sqnr(bits, name))}, and the rmse is {number(rmse, 4)} steps"

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        bits, name = state["bits"], state["tensor"]
        made, x = grid(name, bits), values(name)
        errors = (returned(x, made) - x) / step_of(made)
        curve = np.array([sqnr(b, name) for b in BITS])
        right = sqnr_line(np.array(BITS), curve, bits, palette, shown)
        return (
            Picture(error_box(errors, palette), "Errors in steps: a flat box"),
            Picture(right, "SQNR against bits"),
        )
