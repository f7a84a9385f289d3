"""The verdict on one element, in numbers."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from qviz.figures.numbers import MINUS, NOTHING, integer, interval, number
from qviz.pipeline.element import Why
from qviz.pipeline.element_rules import Answer

ALIKE = 0.01  # steps between results that count as one
DIGITS = 1e-5  # of a result: what is nearer reads the same
NEAR = 10_000  # floats that are worth counting


@dataclass(frozen=True)
class Camp:
    """Rules that give the same result, but for the last bits."""

    result: float
    rules: tuple[Answer, ...]


def camps(why: Why) -> list[Camp]:
    """Groups of equal results, the largest first."""
    step = why.scale or 0.0
    groups: list[list[Answer]] = []
    for answer in why.answers:  # by result
        last = groups[-1][-1].result if groups else None
        if answer.result is None:
            continue
        if last is not None and answer.result - last <= ALIKE * step:
            groups[-1].append(answer)
        else:
            groups.append([answer])
    found = [Camp(_usual(g), tuple(g)) for g in groups]
    return sorted(found, key=lambda camp: -len(camp.rules))


def _usual(answers: list[Answer]) -> float:
    """The result that most of them give."""
    return Counter(float(a.result or 0.0) for a in answers).most_common(1)[0][0]


def why_heading(why: Why) -> str:
    """The verdict: NaN, clipped, half-way, or where it lands and how surely."""
    name = f"Element {integer(why.element.index)}"
    if not why.element.finite:
        return _odd(why, name)
    result = why.chosen.result
    if result is None:
        return f"{name} has no result: the scale is {number(why.scale)}"
    if why.chosen.clipped:
        return f"{name} is clipped: {_beyond(why)} beyond the last level"
    found = camps(why)
    if why.tie:
        return f"{name} is exactly half-way: {_votes(found)}"
    many = sum(len(camp.rules) for camp in found)
    same, close = _agreeing(why, result)
    said = f"{name} comes back as {number(result, 4)} in {same} of {many} rules"
    said += f" and within {ALIKE:g} step of it in {close}" if close else ""
    line = why.line
    if line is None or line.nearest is None:
        return said
    return f"{said}, {number(line.steps, 2)} step from the boundary"


def _agreeing(why: Why, result: float) -> tuple[int, int]:
    """How many rules give this result, and how many another one that a step hides."""
    apart = [abs(a.result - result) for a in why.answers if a.result is not None]
    sizes = [abs(a.result) for a in why.answers if a.result is not None]
    same = sum(a <= DIGITS * max(s, abs(result)) for a, s in zip(apart, sizes, strict=True))
    near = sum(a <= ALIKE * (why.scale or 0.0) for a in apart) - same
    return same, max(near, 0)


def _odd(why: Why, name: str) -> str:
    value = why.element.value
    kind = "NaN" if value != value else "infinite"
    silent = sum(answer.result is None for answer in why.answers)
    served = len(why.answers)
    if silent == served:
        return f"{name} is {kind}: no rule makes a number of it"
    return f"{name} is {kind}: {served - silent} of {served} rules make a number of it"


def _beyond(why: Why) -> str:
    gap = abs(why.chosen.error or 0.0)
    if why.scale:
        return f"{number(gap / why.scale)} steps"
    return number(gap)


def _votes(found: list[Camp]) -> str:
    """``3 rules give 0.04706, 7 give 0.05882``, and how many give something else."""
    first, *others = found
    said = f"{_count(first)} {number(first.result, 4)}"
    if others:
        said += f", {len(others[0].rules)} give{'s' * (len(others[0].rules) == 1)} "
        said += number(others[0].result, 4)
    rest = sum(len(camp.rules) for camp in others[1:])
    return said + (f", {rest} something else" if rest else "")


def _count(camp: Camp) -> str:
    n = len(camp.rules)
    return f"{n} rule{'' if n == 1 else 's'} give{'s' * (n == 1)}"


def why_caption(why: Why) -> str:
    """The value with 9 digits, range, step, what the rule in use makes of it, its boundary."""
    x, chosen = why.element.value, why.chosen
    ends = interval(float(why.range.lo[0]), float(why.range.hi[0]))
    said = f"x = {exact_number(x)}{_rounded(why)} on the range {ends}, "
    said += f"codes {why.ends[0]} to {why.ends[1]}"
    if why.scale and why.element.finite:
        said += (
            f"; one step is {number(why.scale, 4)}, so x is {_steps(x / why.scale)} steps from 0"
        )
    if chosen.code is None or chosen.result is None:
        return f"{said}. {_floats(why)}".rstrip()
    said += f". {chosen.title}: code {integer(chosen.code + why.ends[0])}"
    said += f", which comes back as {number(chosen.result, 7)}"
    said += f", error {number(chosen.error)}" if chosen.error is not None else ""
    return f"{said}. {_floats(why)}".rstrip()


def exact_number(x: float) -> str:
    """Nine digits: every float32 is told from every other one, and -0 from 0."""
    if x == 0:
        return f"{MINUS}0" if math.copysign(1.0, x) < 0 else "0"
    return "NaN" if x != x else number(x, 9)


def _rounded(why: Why) -> str:
    """The whole number that the type elements are counted in does not hold."""
    whole = why.element.whole
    return "" if whole is None else f" ({integer(whole)}, rounded to {why.element.x.dtype.name})"


def _steps(steps: float) -> str:
    """Eight digits, zeros at the end kept: a tie is seen as one."""
    if steps == 0 or not 1e-3 <= abs(steps) < 1e7:
        return number(steps, 8)
    return f"{MINUS * (steps < 0)}{abs(steps):#.8g}"


def cell(x: float | None, digits: int) -> str:
    """A number in a table; a dash for none. Of -0 the sign is kept."""
    return NOTHING if x is None else exact_number(x) if x == 0 else number(x, digits)


def _floats(why: Why) -> str:
    """Where the boundary itself lies, found by bisection."""
    line = why.line
    if line is None or line.nearest is None:
        return ""
    if why.on_boundary:
        at = exact_number(why.element.value)
        return f"The boundary is {at}, x is on it: a tie, and this rule sends it {why.chosen.goes}."
    at = f"Its boundary is {exact_number(line.nearest)}"
    if line.floats == 0:
        return f"{at}, exactly this value."
    if abs(line.floats) > NEAR:
        return f"{at}."
    n, side = abs(line.floats), "above" if line.floats > 0 else "below"
    said = f"{at}; x lies {integer(n)} {line.kind} value{'' if n == 1 else 's'} {side} it"
    return f"{said}, and on it by {why.tie[0]}." if why.tie else f"{said}."
