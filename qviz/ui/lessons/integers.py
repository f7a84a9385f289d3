"""Lesson 8: integers multiply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.figures.lesson_integers import LIMIT, gauge, ledger
from qviz.figures.numbers import integer, number
from qviz.figures.theme import Palette
from qviz.quantizers.affine import typed
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
from qviz.ui.lessons.engine import affine, codes, step_of, zero_point

X = np.array([0.50, -0.25, 1.00, 0.75])
W = np.array([0.18, -0.40, 0.10, 0.30])
BIAS, OUTPUT_ZERO = 0.06, -20
WEIGHT_STEP = 0.4 / 127
INT8 = (-128, 127)
STEPS = (WEIGHT_STEP, 1e-4, 1e-6, 1e-9, 1e-12)  # of the weight: down to that of a dead channel


@dataclass(frozen=True)
class Layer:
    """One output of an integer layer, number by number."""

    x_codes: np.ndarray
    w_codes: np.ndarray
    x_zero: int
    x_step: float
    bias_code: float
    weight_step: float
    output_step: float

    @property
    def products(self) -> int:
        """Sum of code products."""
        return int((self.x_codes * self.w_codes).sum())

    @property
    def correction(self) -> int:
        """What the zero point of x adds to that sum."""
        return int(self.x_zero * self.w_codes.sum())

    @property
    def total(self) -> float:
        """Accumulator with the bias code."""
        return self.products - self.correction + self.bias_code

    @property
    def factor(self) -> float:
        """From the accumulator's unit to output steps."""
        return self.x_step * self.weight_step / self.output_step

    @property
    def code(self) -> int:
        """The output code in int8."""
        return requantized(self.total, self.factor, OUTPUT_ZERO)


def requantized(total: float, factor: float, zero: int) -> int:
    """clamp(round(total * factor) + zero) in int8, ties to even."""
    return int(np.clip(np.rint(total * factor) + zero, *INT8))


def layer(weight_step: float, output_step: float) -> Layer:
    """The lesson's layer; x over [-0.25, 1], affine 8 bit."""
    grid = affine(float(X.min()), float(X.max()))
    x_step = step_of(grid)
    made = typed(weight_step, 0, -127, 127)
    weight = W * (weight_step / WEIGHT_STEP)  # a smaller step is that of a smaller weight
    zero = zero_point(grid)
    bias = float(np.rint(BIAS / (x_step * weight_step)))
    return Layer(codes(X, grid), codes(weight, made), zero, x_step, bias, weight_step, output_step)


def _listed(values: np.ndarray) -> str:
    return ", ".join(number(float(v)) for v in values)


@LESSONS.register("integers", title="Lesson 8", source=SOURCE)
class Integers(Lesson):
    """A dot product of reals is a dot product of integers times two steps."""

    number = 8
    title = "Integers multiply"
    before = "Which code does the layer store?"
    idea = (
        "real = step × (code - zero point), so a dot product of reals is one of integers times "
        "step_x × step_w. The bias is stored in that unit, sums go to 32 bits, and one factor "
        "brings them to the output's step."
    )
    attempt = (
        "Make the weight and its step tiny, as in a dead channel: the bias code leaves 32 bits. "
        "It breaks the bias, not the weight. Then give each x a step of its own: which "
        "single factor could you pull out of the sum? None, so activations have no step per "
        "channel."
    )
    say = "Go through the ledger line by line; let them compute the last three lines."
    controls = (
        Control("weight_step", "Step of the weight", STEPS[0], options=STEPS,
                words=lambda step: f"{step:.2g}"),
        Control("output_step", "Step of the output", 0.02, low=0.005, high=0.05, step=0.005),
    )  # fmt: skip
    link = Link("pages/6_Channels.py", "Dead channels of your own weight", SYMMETRIC)

    def question(self, variant: bool = False) -> Question:
        total, zero = (-4210 if variant else 9217), -10
        x_step, w_step, out_step = 0.02, 0.005, 0.05
        factor = x_step * w_step / out_step
        steps, code = total * factor, requantized(total, factor, zero)
        rounded = round(steps)
        return Question(
            f"Another layer: accumulator with bias {integer(total)}, step_x {x_step}, step_w "
            f"{w_step}, output step {out_step}, output zero point {zero}. Which int8 code is "
            "stored?",
            code,
            0,
            f"{integer(total)} × {factor:g} = {number(steps, 4)}, rounded {rounded}, and "
            f"{rounded} + ({zero}) = {code}.",
            (
                Known(rounded, "That forgets the output zero point."),
                Known(rounded - zero, "That subtracts the zero point instead of adding it."),
                Known(
                    total * x_step * w_step,
                    "That is the real value. The code still has to be made.",
                    0.01,
                ),
                Known(
                    INT8[1] if total > 0 else INT8[0],
                    "The 32-bit sum is not clipped to 8 bits first.",
                ),
            ),
        )

    def heading(self, state: State) -> str:
        made = layer(state["weight_step"], state["output_step"])
        if abs(made.bias_code) > LIMIT:
            return f"The bias code {number(made.bias_code)} does not fit 32 bits"
        real = made.output_step * (made.code - OUTPUT_ZERO)
        true = float((X * W).sum() * (state["weight_step"] / WEIGHT_STEP) + BIAS)
        told = f"The layer stores {made.code}, which stands for {number(real)}"
        return f"{told}; in floats {number(true)}"

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        made = layer(state["weight_step"], state["output_step"])
        scaled = made.total * made.factor
        rows = (
            (f"x / {number(made.x_step)} + {made.x_zero}", _listed(made.x_codes)),
            (f"w / {number(made.weight_step)}", _listed(made.w_codes)),
            ("sum of code products", integer(made.products)),
            (f"− {made.x_zero} × sum of w codes", integer(-made.correction)),
            ("+ bias / (step_x × step_w)", number(made.bias_code, 6)),
            ("= accumulator", number(made.total, 6)),
            ("× step_x × step_w / step_out", number(made.factor, 5)),
            ("= output steps", number(scaled, 4)),
            (f"rounded, {integer(OUTPUT_ZERO)} added: code", integer(made.code)),
        )
        right = gauge(made.bias_code, made.total, palette, shown)
        return (
            Picture(ledger(rows, palette, shown), "A ledger of the integer layer", 3),
            Picture(right, "Bias code and sum beside the 32-bit limit", 2),
        )
