"""The steps of two rules side by side, as rows of text."""

from __future__ import annotations

from qviz.figures.numbers import number, until_they_differ
from qviz.figures.rosetta_words import ADDED, QUOTIENTS, span
from qviz.quantizers.arithmetic import TIE_WORDS
from qviz.quantizers.steps import RANGES, ZEROS, Step
from qviz.rosetta.answers import Answer
from qviz.rosetta.divergence import Divergence, Line, from_lowest

FIRST, SAME, OTHER, HEALED = "◀ first difference", "=", "≠", "≠ without effect"
TOGETHER = "◀ one of several"
LABELS = {
    "range": "Range",
    "widened": "Widened",
    "mirrored": "Mirrored",
    "stretched": "Stretched to a least size",
    "snapped": "Raised to a power of two",
    "shifted": "Shifted",
    "scale before floor": "Scale before its floor",
    "floor": "Scale after its floor",
    "scale": "Scale",
    "raw zero point": "Zero point before rounding",
    "clamp": "Clamped",
    "rounded": "Rounded",
    "zero point": "Zero point",
    "codes": "Codes",
    "precision": "Computed in",
    "quotient": "Quotient",
    "zero point added": "Zero point added",
    "tie": "Ties",
}
ALWAYS = ("range", "scale", "raw zero point", "zero point", "codes")
NOTHING = "–"
TRAITS = {"quotient": QUOTIENTS, "zero point added": ADDED, "tie": TIE_WORDS}
Cells = tuple[str, str, str, str]


def step_rows(a: Answer, b: Answer, found: Divergence) -> list[Cells]:
    """Step, what each rule has there, and how they compare; with the values at the end.

    Steps that neither rule takes are left out, and so are those on which both agree unless they
    always tell something.
    """
    rows = []
    reached = found.first is None
    for line in found.lines:
        reached = reached or line.name in found.named
        if line.own and (line.name in ALWAYS or not line.equal):
            rows.append((LABELS[line.name], *_texts(line, a, b), _mark(line, found, reached)))
    return [*rows, *_results(a, b, found)]


def _mark(line: Line, found: Divergence, reached: bool) -> str:
    if line.equal:
        return SAME
    if line.name in found.named:
        return FIRST if len(found.named) == 1 else TOGETHER
    return OTHER if reached and found.cause is None and found.first is not None else HEALED


def _texts(line: Line, one: Answer, other: Answer) -> tuple[str, str]:
    if line.name in TRAITS or line.name == "precision":
        return _of_words(line)
    if line.name in (*RANGES, "codes"):
        return _pair(line.a), _pair(line.b)
    a, b = (None if step is None else step.values[0] for step in (line.a, line.b))
    texts = (_full(a), _full(b)) if line.equal else until_they_differ(a, b, 9)
    if line.name not in ZEROS or from_lowest((0,), one) == from_lowest((0,), other):
        return texts
    told = [f"{text}{_counted(value, answer)}"
            for text, value, answer in zip(texts, (a, b), (one, other), strict=True)]  # fmt: skip
    return told[0], told[1]


def _counted(value: float | None, answer: Answer) -> str:
    """What a zero point is from the lowest code, where that is not 0."""
    if value is None:
        return ""
    (counted,) = from_lowest((value,), answer)
    return "" if counted == value else f" ({number(counted, 9)} from the lowest)"


def _of_words(line: Line) -> tuple[str, str]:
    one, other = (_words(line.name, step) for step in (line.a, line.b))
    if line.equal or one != other or not (line.a and line.b and line.a.values and line.b.values):
        return one, other
    first, second = until_they_differ(line.a.values[0], line.b.values[0], 9)
    return f"{one}: {first}", f"{other}: {second}"


def _words(name: str, step: Step | None) -> str:
    if step is None:
        return NOTHING
    return step.note if name == "precision" else TRAITS[name][step.note]


def _pair(step: Step | None) -> str:
    return NOTHING if step is None else span(step.values[0], step.values[1], 5)


def _full(value: float | None) -> str:
    return number(value, 9)


def _results(a: Answer, b: Answer, found: Divergence) -> list[Cells]:
    steps = [_steps_from_zero(answer) for answer in (a, b)]
    values = [NOTHING if x.covered is None else span(*x.covered, 5) for x in (a, b)]
    ends = [x.degenerate or "" for x in (a, b)]
    rows = [("Steps from zero", *steps), ("Values", *values)]
    if any(ends):
        rows.append(("What comes out", *(end or "values" for end in ends)))
    same = found.first is None
    return [
        (name, one, other, SAME if one == other else HEALED if same else OTHER)
        for name, one, other in rows
    ]


def _steps_from_zero(answer: Answer) -> str:
    zero, ends = answer.zero_point, answer.ends
    if zero is None or ends is None or zero != int(zero):
        return NOTHING
    return f"{number(ends[0] - zero, 6)} … {number(ends[1] - zero, 6)}"
