"""The steps of two rules side by side, as rows of text."""

from __future__ import annotations

from qviz.figures.numbers import number, until_they_differ
from qviz.figures.rosetta_words import ADDED, QUOTIENTS, span
from qviz.quantizers.arithmetic import TIE_WORDS
from qviz.quantizers.steps import RANGES, Step
from qviz.rosetta.answers import Answer
from qviz.rosetta.divergence import Divergence, Line

FIRST, SAME, OTHER, HEALED = "◀ first difference", "=", "≠", "≠ without effect"
LABELS = {
    "range": "Range",
    "widened": "Widened",
    "mirrored": "Mirrored",
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
        if line.name == found.first:
            reached = True
        if line.own and (line.name in ALWAYS or not line.equal):
            rows.append((LABELS[line.name], *_texts(line), _mark(line, found, reached)))
    return [*rows, *_results(a, b, found)]


def _mark(line: Line, found: Divergence, reached: bool) -> str:
    if line.equal:
        return SAME
    if line.name == found.first:
        return FIRST
    return OTHER if reached and found.first is not None else HEALED


def _texts(line: Line) -> tuple[str, str]:
    if line.name in TRAITS or line.name == "precision":
        return _words(line.name, line.a), _words(line.name, line.b)
    if line.name in (*RANGES, "codes"):
        return _pair(line.a), _pair(line.b)
    a, b = (None if step is None else step.values[0] for step in (line.a, line.b))
    if line.equal:
        return _full(a), _full(b)
    return until_they_differ(a, b, 9)


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
