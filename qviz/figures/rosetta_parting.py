"""Where two rules part, in one sentence made from the steps they went through."""

from __future__ import annotations

from qviz.figures.numbers import NOTHING, number, until_they_differ
from qviz.figures.rosetta_words import DIGITS, TRAITS, span
from qviz.quantizers.steps import RANGES, SCALES, Step
from qviz.rosetta.answers import Answer
from qviz.rosetta.divergence import VALUES, Divergence, Line, from_lowest

MADE = {"widened": "widens", "mirrored": "mirrors", "snapped": "raises", "shifted": "shifts"}
ZERO = "the zero point"


def sentence(a: Answer, b: Answer, found: Divergence) -> str:
    """Where two rules part, in one sentence; ``a`` is the first of them."""
    names = f"{a.rule.title} and {b.rule.title}"
    if found.first is None:
        return f"{names} {_alike(a, b)}."
    where, how = _parting(a, b, found)
    return f"{names} part at {where}: {how}{_outcome(a, b)}."


def _alike(a: Answer, b: Answer) -> str:
    if a.quantizer is None or b.quantizer is None:
        return f"end alike: {_end(a)}"
    return "go the same way from range to codes"


def _outcome(a: Answer, b: Answer) -> str:
    if a.quantizer is not None and b.quantizer is not None and not (a.degenerate or b.degenerate):
        return ""
    first, second = _end(a), _end(b)
    return f". Both end with {first}" if first == second else (
        f". The first ends with {first}, the second with {second}"
    )  # fmt: skip


def _end(answer: Answer) -> str:
    words = {"raises": "an error", "infinite": "an infinite scale", "NaN": "NaN"}
    if answer.degenerate:
        return words.get(answer.degenerate, answer.degenerate)
    return f"a scale of {number(answer.scale)}"


def _parting(a: Answer, b: Answer, found: Divergence) -> tuple[str, str]:
    name = found.first or ""
    line = next((line for line in found.lines if line.name == name), None)
    if name == VALUES or line is None:
        return "the way back", f"the first computes {_back(a)}, the second {_back(b)}"
    if name in RANGES:
        return f"the range {span(*a.requested)}", f"the first {_range(a)}, the second {_range(b)}"
    if name == "codes":
        return "the codes", f"the first has {_codes(a)}, the second {_codes(b)}"
    if name in TRAITS:
        return _trait(name, line)
    if name == "floor":
        return "the floor of the scale", _floor(a, b)
    return _of_numbers(name, a, b, line)


def _of_numbers(name: str, a: Answer, b: Answer, line: Line) -> tuple[str, str]:
    if name == "rounded" and line.a is not None and line.b is not None:
        return "rounding the zero point", _rounding(a, b)
    return (_scales if name in SCALES else _zeros)(name, (a, line.a), (b, line.b))


def _range(answer: Answer) -> str:
    """What a rule makes of the range: ``widens it to [0, 3]``."""
    before, said = answer.requested, "takes it as it is"
    for name in RANGES:
        step = answer.step(name)
        if step is None:
            continue
        pair = step.values[0], step.values[1]
        if name in MADE and str(pair) != str(before):
            said = f"{MADE[name]} it to {span(*pair)}"
        before = pair
    return said


def _back(answer: Answer) -> str:
    formula = "" if answer.quantizer is None else type(answer.quantizer).formula
    return formula.partition("x' = ")[2] or "values of its own"


def _codes(answer: Answer) -> str:
    low, high = answer.ends or answer.rule.spec.ends
    return f"{high - low + 1} of them, {number(low)} to {number(high)}"


def _trait(name: str, line: Line) -> tuple[str, str]:
    first, second = ("" if step is None else step.note for step in (line.a, line.b))
    where, words = TRAITS[name]
    if name == "precision":
        return where, f"the first computes codes in {first}, the second in {second}"
    if "lower end" in (first, second):
        where = "where counting starts"
    return where, f"the first {words[first]}, the second {words[second]}"


def _floor(a: Answer, b: Answer) -> str:
    told = [_floored(answer) for answer in (a, b)]
    (one, before), (other, second) = told
    if number(before) == number(second):
        return f"both get {number(before)}; the first {one}, the second {other}"
    return f"the first gets {number(before)} and {one}, the second {number(second)} and {other}"


def _floored(answer: Answer) -> tuple[str, float | None]:
    floor = answer.step("floor")
    before = answer.step("scale before floor") or answer.step("scale")
    value = None if before is None else before.values[0]
    if floor is None or floor.values[0] == value:
        return "keeps it", value
    note = "" if floor.note.startswith("at least") else f" ({floor.note})"
    return f"makes it {number(floor.values[0])}{note}", value


def _rounding(a: Answer, b: Answer) -> str:
    raws = [from_lowest((raw,), x)[0] for x in (a, b) if (raw := x.raw_zero_point) is not None]
    told = [_rounded(answer) for answer in (a, b)]
    first, second = until_they_differ(raws[0], raws[-1], DIGITS)
    start = f"both get {first}" if first == second else f"they get {first} and {second}"
    counted = "" if _lowest(a) == _lowest(b) else ", counted from the lowest code"
    return f"{start}{counted}; the first {told[0]}, the second {told[1]}"


def _rounded(answer: Answer) -> str:
    step = answer.step("rounded")
    if step is None:
        return "keeps it as it is"
    (value,) = from_lowest(step.values, answer)
    return f"makes it {number(value)}" + (f" ({step.note})" if step.note else "")


def _lowest(answer: Answer) -> int:
    return (answer.ends or answer.rule.spec.ends)[0]


def _scales(
    name: str, a: tuple[Answer, Step | None], b: tuple[Answer, Step | None]
) -> tuple[str, str]:
    told = [_stepped(step) for _, step in (a, b)]
    one, other = a[1], b[1]
    if one is not None and other is not None:
        pair = until_they_differ(one.values[0], other.values[0], DIGITS)
        told = [f"gets {text}{_kind(one, other)[i]}{_note(one, other)[i]}"
                for i, text in enumerate(pair)]  # fmt: skip
    return "the scale", f"the first {told[0]}, the second {told[1]}"


def _stepped(step: Step | None) -> str:
    if step is None:
        return "gets none"
    return f"gets {number(step.values[0], DIGITS).replace(NOTHING, 'NaN')}"


def _kind(one: Step, other: Step) -> tuple[str, str]:
    if one.dtype == other.dtype:
        return "", ""
    return f" in {one.dtype}", f" in {other.dtype}"


def _note(one: Step, other: Step) -> tuple[str, str]:
    if one.note == other.note:
        return "", ""
    told = [f" ({s.note})" if s.note and "float" not in s.note else "" for s in (one, other)]
    return told[0], told[1]


def _zeros(
    name: str, a: tuple[Answer, Step | None], b: tuple[Answer, Step | None]
) -> tuple[str, str]:
    where = "the zero point before rounding" if name in ("raw zero point", "clamp") else ZERO
    one, other = a[1], b[1]
    if one is None or other is None or any(_fixed(answer) for answer, _ in (a, b)):
        return ZERO, f"the first {_has(*a)}, the second {_has(*b)}"
    pair = from_lowest(one.values, a[0])[0], from_lowest(other.values, b[0])[0]
    first, second = until_they_differ(*pair, DIGITS)
    kinds = _kind(one, other)
    said = f"the first gets {first}{kinds[0]}, the second {second}{kinds[1]}"
    return where, said.replace(NOTHING, "NaN")


def _fixed(answer: Answer) -> bool:
    return answer.zero_point is not None and answer.raw_zero_point is None


def _has(answer: Answer, step: Step | None) -> str:
    if answer.zero_point is None:
        return "has none: it counts from the lower end of its range"
    if _fixed(answer) or step is None:
        return f"has it fixed at {number(from_lowest((answer.zero_point,), answer)[0])}"
    return f"gets {number(from_lowest(step.values, answer)[0], 8)} and rounds it"
