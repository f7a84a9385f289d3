"""What every rule makes of one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.rosetta.answers import Answer, answer
from qviz.rosetta.ruleset import Rule, rules


@dataclass(frozen=True)
class Element:
    """One value under one rule.

    ``unrounded`` is what the rule rounds, in its own type; ``code`` the stored code, ``steps`` that
    code counted from the lowest; ``value`` what comes back, ``error`` = value - x. ``clipped``
    says on which side the value was cut (``low``, ``high`` or empty). All None where the rule
    has no grid for the range; ``degenerate`` then says what happens.
    """

    rule: Rule
    x: float
    unrounded: float | None = None
    code: int | None = None
    steps: int | None = None
    value: float | None = None
    error: float | None = None
    clipped: str = ""
    degenerate: str = ""


def element(x: float, lo: float, hi: float, chosen: tuple[Rule, ...] = ()) -> tuple[Element, ...]:
    """What each rule (all of them by default) makes of ``x`` on the range [lo, hi]."""
    return tuple(element_of(answer(rule, lo, hi), x) for rule in chosen or rules())


@np.errstate(all="ignore")
def element_of(given: Answer, x: float) -> Element:
    """What an answer's quantizer makes of ``x``, taken as float32."""
    made = given.quantizer
    if made is None:
        return Element(given.rule, float(x), degenerate=given.degenerate)
    rows = np.full((1, 1), x, np.float32)
    raw = np.float64(made.encode(rows)).item()
    code, (low, high) = np.float64(made.quantize(rows)).item(), made.ends
    value = np.float64(made.fake_quantize(rows)).item()
    how = made.arithmetic
    unrounded = None if how is None else np.float64(how.unrounded(rows)).item()
    side = "low" if raw < low else "high" if raw > high else ""
    if np.isnan(code):
        return Element(given.rule, float(x), unrounded, degenerate="NaN")
    return Element(
        given.rule, float(rows[0, 0]), unrounded, int(code), int(code) - low, value,
        value - float(rows[0, 0]), side, given.degenerate,
    )  # fmt: skip
