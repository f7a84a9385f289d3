"""Where the scale or the zero point of two rules part, in words."""

from __future__ import annotations

from qviz.figures.numbers import MOST_DIGITS, NOTHING, number, until_they_differ
from qviz.figures.rosetta_words import DIGITS, zero_said
from qviz.quantizers.steps import SCALES, Step
from qviz.rosetta.answers import Answer
from qviz.rosetta.divergence import Line, from_lowest

ZERO = "the zero point"
ROUNDING_ERRORS = 1e-6  # of a number: float32 and float64 explain no more than that


def number_words(name: str, a: Answer, b: Answer, line: Line) -> tuple[str, str]:
    """Where two rules part at a scale or a zero point, and how."""
    if name == "floor":
        return "the floor of the scale", _floor(a, b)
    if name == "rounded" and line.a is not None and line.b is not None:
        return "rounding the zero point", _rounding(a, b)
    return (_scales if name in SCALES else _zeros)(name, (a, line.a), (b, line.b))


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
    first, second = _until_no_tie(raws[0], raws[-1])
    start = f"both get {first}" if first == second else f"they get {first} and {second}"
    counted = "" if _lowest(a) == _lowest(b) else ", counted from the lowest code"
    return f"{start}{counted}; the first {told[0]}, the second {told[1]}"


def _until_no_tie(a: float, b: float) -> tuple[str, str]:
    """Both with as many digits as it takes to tell them apart, and from a tie that they are not."""
    digits = DIGITS
    while digits < MOST_DIGITS and any(_looks_tied(x, digits) for x in (a, b)):
        digits += 1
    return until_they_differ(a, b, digits)


def _looks_tied(x: float, digits: int) -> bool:
    shown = float(f"{x:.{digits - 1}e}")
    return shown % 1 == 0.5 and shown != x


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
    x, y = one.values[0], other.values[0]
    if one.dtype == other.dtype or abs(x - y) > ROUNDING_ERRORS * max(abs(x), abs(y)):
        return "", ""
    return f" in {one.dtype}", f" in {other.dtype}"


def _note(one: Step, other: Step) -> tuple[str, str]:
    if one.note == other.note:
        return "", ""
    notes = [s.note.partition(", divided")[0] for s in (one, other)]
    told = [f" ({note})" if note and "float" not in note else "" for note in notes]
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
        return f"has it fixed at {zero_said(answer)}"
    return f"gets {number(from_lowest(step.values, answer)[0], 8)} and rounds it"
