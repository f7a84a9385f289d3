"""What one rule makes of one range: numbers, or in words why there are none."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from qviz.errors import QvizError
from qviz.quantizers.base import Quantizer
from qviz.quantizers.steps import RANGES, Step, Working, step, worked
from qviz.rosetta.ruleset import Rule
from qviz.spec import Range

Pair = tuple[float, float]
REVERSED = "The range ends below its start. No rule was asked."


@dataclass(frozen=True, eq=False)
class Answer:
    """One rule's qparams of one range.

    ``requested`` is the range as asked for, ``adjusted`` what the rule made of it before it
    divided, ``covered`` what the grid spans in the end. ``scale`` is in ``scale_dtype``;
    ``raw_zero_point`` is not rounded yet. ``degenerate`` says what comes out where there are no
    such numbers: ``zeros``, ``NaN``, ``infinite``, ``raises``, or ``not asked`` where the range is
    none; ``refused`` is the sentence.
    """

    rule: Rule
    requested: Pair
    refused: str | None = None
    adjusted: Pair | None = None
    scale: float | None = None
    scale_dtype: str = ""
    raw_zero_point: float | None = None
    zero_point: int | float | None = None
    covered: Pair | None = None
    ends: tuple[int, int] | None = None
    quantizer: Quantizer | None = None
    degenerate: str = ""
    steps: tuple[Step, ...] = field(default=())

    def step(self, name: str) -> Step | None:
        """The step of that name, or None."""
        return next((step for step in self.steps if step.name == name), None)

    @property
    def usable(self) -> bool:
        """Whether values can be quantized with it."""
        return self.quantizer is not None


def answer(rule: Rule, lo: float, hi: float) -> Answer:
    """The rule's answer to a range, rounded to float32; never raises, whatever the numbers are."""
    asked = (float(lo), float(hi))
    if asked[1] < asked[0]:
        steps = (step("range", *asked),)
        return Answer(rule, asked, REVERSED, degenerate="not asked", steps=steps)
    with np.errstate(all="ignore"):
        made = worked(rule.mode, range_of(*asked).as_float32(), rule.spec)
    return _answer(rule, asked, made)


def range_of(lo: float, hi: float) -> Range:
    """One group's range."""
    return Range(np.array([lo]), np.array([hi]))


def answers(chosen: tuple[Rule, ...], lo: float, hi: float) -> tuple[Answer, ...]:
    """Answers of several rules to one range."""
    return tuple(answer(rule, lo, hi) for rule in chosen)


def _answer(rule: Rule, asked: Pair, made: Working) -> Answer:
    found = {step.name: step for step in made.steps}
    ranges = [found[name] for name in RANGES if name in found]
    scale = found.get("scale") or found.get("floor") or found.get("scale before floor")
    zero, raw = _number(found.get("zero point")), _number(found.get("raw zero point"))
    adjusted, covered = ranges[-1].values, found.get("covered")
    return Answer(
        rule,
        asked,
        None if made.error is None else _sentence(made.error),
        (adjusted[0], adjusted[1]),
        _number(scale),
        scale.dtype if scale else "",
        raw,
        int(zero) if zero is not None and math.isfinite(zero) and zero == int(zero) else zero,
        (covered.values[0], covered.values[1]) if covered else None,
        made.quantizer.ends if made.quantizer else None,
        made.quantizer,
        _degenerate(_number(scale), raw, made.quantizer),
        made.steps,
    )


def _number(found: Step | None) -> float | None:
    return None if found is None else found.values[0]


def _sentence(error: QvizError) -> str:
    return str(error)


def _degenerate(scale: float | None, raw: float | None, made: Quantizer | None) -> str:
    """What comes out where a range gives no usable grid."""
    if made is not None:
        return "zeros" if scale == 0 else ""
    for number in (scale, raw):
        if number is not None and (math.isnan(number) or number == 0 == scale):
            return "NaN"
        if number is not None and math.isinf(number):
            return "infinite"
    return "raises"
