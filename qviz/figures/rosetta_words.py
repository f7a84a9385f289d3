"""Sentences of the Rosetta page: what the rules disagree about, and who notices."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence

import numpy as np

from qviz.figures.numbers import NOTHING, interval, number, percent
from qviz.quantizers.arithmetic import TIE_WORDS
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import Comparison, Row
from qviz.rosetta.divergence import from_lowest

LAST_BITS = 1e-3  # steps; values that differ by less differ in rounding errors
NEAR = 4 * 2.0**-24  # of a zero point's size: four float32 apart from a tie
DIGITS = 4
LARGEST = 3.4028235677973366e38  # from here on numbers are infinite in float32
QUOTIENTS = {
    "division": "divides by the scale",
    "reciprocal": "multiplies by 1 / scale",
    "multiplier": "multiplies by codes / width",
}
ADDED = {
    "before": "adds the zero point before rounding",
    "after": "adds the zero point after rounding",
    "none": "has no zero point to add",
    "once": "adds the zero point before rounding, in one operation with the product",
    "lower end": "counts from the lower end of the range",
    "lower end, moved": "counts from the lower end and takes whole steps off again before rounding",
}
TIES = {name: f"rounds {words}" for name, words in TIE_WORDS.items()} | {
    "cut": "cuts towards zero instead of rounding"
}
TRAITS = {
    "precision": ("precision", {}),
    "quotient": ("the quotient", QUOTIENTS),
    "zero point added": ("adding the zero point", ADDED),
    "tie": ("ties", TIES),
}


def headline(comparison: Comparison) -> str:
    """``12 rules, 9 answers on [−0.5, 2.5]: the zero point falls on a tie``."""
    rows = comparison.rows
    lo, hi = rows[0].answer.requested
    count, groups = len(rows), len(comparison.groups)
    alone = f", where only {number(lo, DIGITS)} is compared" if lo == hi else ""
    said = f"{count} rules, {groups} answer{'s' * (groups != 1)} on {span(lo, hi)}{alone}"
    why = reason([row.answer for row in rows])
    return f"{said}: {why}" if groups > 1 else said


def hidden(comparison: Comparison) -> str:
    """Which groups hold unlike scales that no value compared on tells apart; empty for none."""
    said = []
    for group, rows in enumerate(comparison.groups):
        found = [row.answer.scale for row in rows if row.answer.usable]
        scales = {np.float32(scale) for scale in found if scale is not None}
        if len(scales) > 1:
            low, high = number(float(min(scales))), number(float(max(scales)))
            said.append(f"{letter(group)} holds {len(scales)} scales, {low} to {high}")
    return f"{'; '.join(said)}: no value compared on tells them apart." if said else ""


def letter(group: int) -> str:
    """``A`` to ``Z``, then ``AA``."""
    letters = string.ascii_uppercase
    return letters[group] if group < 26 else letters[group // 26 - 1] + letters[group % 26]


def reason(given: Sequence[Answer]) -> str:
    """The condition that explains most of what differs, from the steps of all rules."""
    lo, hi = given[0].requested
    for true, words in (
        (not (math.isfinite(lo) and math.isfinite(hi)), "the range is not finite"),
        (max(abs(lo), abs(hi)) > LARGEST, "the range overflows float32"),
        (hi < lo, "the range ends below its start"),
        (lo == hi == 0, "the range has no width"),
        (lo > 0 or hi < 0, "zero lies outside it"),
        (any(_raised(answer) for answer in given), "the step is smaller than some allow"),
        (_tied(given), _tie_words(given)),
    ):
        if true:
            return words
    return "they part at mirroring, codes and arithmetic"


def _raised(answer: Answer) -> bool:
    before, floor = answer.step("scale before floor"), answer.step("floor")
    return bool(before and floor and floor.values[0] > before.values[0] * (1 + 1e-6))


def _tie_words(given: Sequence[Answer]) -> str:
    """Whether the zero point falls on a tie in every rule's numbers, or beside one in some."""
    raws = [raw for answer in given if (raw := answer.raw_zero_point) is not None]
    near = [raw for raw in raws if _beside_tie(raw)]
    exact = all(raw % 1 == 0.5 for raw in near)
    return "the zero point falls on a tie" + ("" if exact else " or just beside it")


def _beside_tie(raw: float) -> bool:
    return math.isfinite(raw) and abs(abs(raw - math.floor(raw)) - 0.5) <= NEAR * max(abs(raw), 1)


def _tied(given: Sequence[Answer]) -> bool:
    """Whether a zero point lies on a tie, or next to it, and rules round it differently."""
    rounded, tie = set(), False
    for answer in given:
        raw, zero = answer.raw_zero_point, answer.zero_point
        if raw is None or zero is None or not math.isfinite(raw) or zero != int(zero):
            continue
        raw, zero = from_lowest((raw, zero), answer)
        if _beside_tie(raw):
            tie = True
            rounded.add(zero)
    return tie and len(rounded) > 1


def zero_said(answer: Answer) -> str:
    """The stored zero point, and how far it lies from the lowest code where that is not 0."""
    if answer.zero_point is None:
        return NOTHING
    own = float(answer.zero_point)
    (counted,) = from_lowest((own,), answer)
    more = "" if counted == own else f", {number(counted)} from the lowest code"
    return f"{number(own)}{more}"


def span(lo: float, hi: float, digits: int = DIGITS) -> str:
    """A range; NaN is called by its name."""
    return interval(lo, hi, digits).replace("–", "NaN")


def notice(row: Row) -> str:
    """What the elements notice of the difference between a row and the reference."""
    codes, values = row.codes_differ, row.values_differ
    if codes is None or values is None or row.answer.quantizer is None:
        return ""
    if codes == values == 0:
        return "No element notices."
    if values == 0:
        every = "every stored code does" if codes == 1 else f"{percent(codes)} of the codes do"
        return f"No value notices; {every}."
    if codes == 0:
        return f"No stored code notices; {percent(values)} of the values do{_most(row)}."
    if codes == values:
        both = "All" if codes == 1 else percent(codes)
        return f"{both} of the stored codes and values differ{_most(row)}."
    first = "All" if codes == 1 else percent(codes)
    second = "all" if values == 1 else percent(values)
    return f"{first} of the stored codes and {second} of the values differ{_most(row)}."


def _most(row: Row) -> str:
    said = at_most(row.at_most)
    return f", by {said}" if said == "last bits" else f", by at most {said}" if said else ""


def at_most(steps: float | None) -> str:
    """``last bits``, ``1 step``, ``1.34 steps``; empty for nothing."""
    if steps is None or steps == 0:
        return ""
    if steps < LAST_BITS:
        return "last bits"
    text = number(steps, 2 if steps < 10 else 3)
    return f"{text} step{'' if text == '1' else 's'}"


def share(value: float | None) -> str:
    """``same``, ``all`` or a share in percent."""
    if value is None:
        return "–"
    return "same" if value == 0 else "all" if value == 1 else percent(value)
