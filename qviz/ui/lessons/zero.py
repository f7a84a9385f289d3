"""Lesson 4: zero is a code."""

from __future__ import annotations

import math

from qviz.figures.lesson_zero import brackets
from qviz.figures.numbers import integer, interval, number
from qviz.figures.theme import Palette
from qviz.quantizers.base import covered
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
from qviz.ui.lessons.engine import affine, step_of, zero_point

CODES = 255  # the largest one of 8 bits
HALF = 128  # between unsigned and signed codes


def raw_zero_point(lo: float, hi: float) -> float:
    """Steps from the lower end to 0, before they are rounded."""
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    return -lo / ((hi - lo) / CODES)


@LESSONS.register("zero", title="Lesson 4", source=SOURCE)
class Zero(Lesson):
    """One code must stand for exactly 0, and codes are whole numbers."""

    number = 4
    title = "Zero is a code"
    before = "Which code stands for 0?"
    idea = (
        "One code must stand for exactly 0: padding, ReLU and sparsity need it. Codes are whole "
        "numbers, so the grid slides a little. What you asked for is not what you get."
    )
    attempt = "Find a range that is not moved at all: on [-1, 2] the raw zero point is 85 exactly."
    say = "Ask how many steps lie between the lower end and 0, and what to do with the rest."
    controls = (
        Control("lo", "Lower end", -1.0, low=-4.0, high=-0.1, step=0.1),
        Control("hi", "Upper end", 3.0, low=0.1, high=4.0, step=0.1),
    )
    link = Link("pages/2_Grid.py", "Asked for and covered, on your own tensor", AFFINE)

    def question(self, variant: bool = False) -> Question:
        lo, hi = (-0.7, 1.1) if variant else (-1.0, 3.0)
        grid, raw = affine(lo, hi), raw_zero_point(lo, hi)
        code, span = zero_point(grid), covered(grid)
        signed = code - HALF
        return Question(
            f"Affine 8 bit over [{lo:g}, {hi:g}]. Which code stands for 0?",
            code,
            0,
            f"The step is {number(hi - lo)}/255, so 0 lies {number(raw, 4)} steps above the lower "
            f"end: code {code}. The grid covers {interval(span.lo[0], span.hi[0], 6)}.",
            (
                *self._cut(raw, code),
                Known(
                    signed,
                    f"Right in signed codes: {code} - 128 = {signed}. Unsigned it is {code}.",
                    accepted=True,
                ),
                Known(HALF, "Zero sits in the middle only if the range is symmetric."),
                Known(0, "Code 0 stands for the lower end, not for real 0."),
                Known(
                    round(-lo / hi * CODES),
                    "That divides by the upper end instead of the width.",
                ),
            ),
        )

    def _cut(self, raw: float, code: int) -> tuple[Known, ...]:
        low = math.floor(raw)
        said = f"That is cut instead of rounded: {number(raw, 4)} is nearer to {code}."
        return () if low == code else (Known(low, said),)

    def heading(self, state: State) -> str:
        lo, hi = state["lo"], state["hi"]
        grid = affine(lo, hi)
        span = covered(grid)
        raw = raw_zero_point(lo, hi)
        if abs(raw - round(raw)) < 1e-9:
            return f"[{lo:g}, {hi:g}] is not moved: 0 falls on code {integer(zero_point(grid))}"
        return (
            f"Asked for {interval(lo, hi)}, the grid covers {interval(span.lo[0], span.hi[0], 4)}: "
            f"0 is code {zero_point(grid)}"
        )

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        lo, hi = state["lo"], state["hi"]
        grid = affine(lo, hi)
        span = covered(grid)
        ends, step = (float(span.lo[0]), float(span.hi[0])), step_of(grid)
        figure = brackets((lo, hi), ends, step, raw_zero_point(lo, hi), palette, shown)
        return (Picture(figure, "Range asked for, range covered, levels near 0"),)
