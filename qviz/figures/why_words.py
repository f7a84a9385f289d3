"""The verdict on one element, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.figures.numbers import integer, interval, number
from qviz.pipeline.element import Why
from qviz.pipeline.element_rules import Answer

ALIKE = 0.01  # steps between results that count as one
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
    found = [Camp(float(g[0].result or 0.0), tuple(g)) for g in groups]
    return sorted(found, key=lambda camp: -len(camp.rules))


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
    with_it = next((len(c.rules) for c in found if any(_same(a, why) for a in c.rules)), 1)
    line = why.line
    near = ""
    if line is not None and line.nearest is not None:
        near = f", {number(line.steps, 2)} step from the boundary"
    return f"{name} comes back as {number(result, 4)} in {with_it} of {many} rules{near}"


def _same(answer: Answer, why: Why) -> bool:
    other = why.chosen.result
    if answer.result is None or other is None:
        return False
    return abs(answer.result - other) <= ALIKE * (why.scale or 0.0)


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
    said = f"x = {exact_number(x)} on the range {ends}, codes {why.ends[0]} to {why.ends[1]}"
    if why.scale and why.element.finite:
        steps = f"{x / why.scale:#.8g}" if abs(x / why.scale) < 1e7 else number(x / why.scale, 8)
        said += f"; one step is {number(why.scale, 4)}, so x is {steps} steps from 0"
    if chosen.code is None or chosen.result is None:
        return f"{said}. {_floats(why)}".rstrip()
    said += f". {chosen.title}: code {integer(chosen.code + why.ends[0])}"
    said += f", which comes back as {number(chosen.result, 7)}"
    said += f", error {number(chosen.error)}" if chosen.error is not None else ""
    return f"{said}. {_floats(why)}".rstrip()


def exact_number(x: float) -> str:
    """Nine digits: every float32 is told from every other one."""
    return "NaN" if x != x else number(x, 9)


def _floats(why: Why) -> str:
    """Where the boundary itself lies, found by bisection."""
    line = why.line
    if line is None or line.nearest is None:
        return ""
    at = f"Its boundary is {exact_number(line.nearest)}"
    if line.floats == 0:
        return f"{at}, exactly this value."
    if abs(line.floats) > NEAR:
        return f"{at}."
    n, side = abs(line.floats), "above" if line.floats > 0 else "below"
    return f"{at}; x lies {integer(n)} {line.kind} value{'' if n == 1 else 's'} {side} it."
