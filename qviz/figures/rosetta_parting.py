"""Where two rules part, in one sentence made from the steps they went through."""

from __future__ import annotations

from qviz.figures.numbers import number, until_they_differ
from qviz.figures.rosetta_numbers import number_words
from qviz.figures.rosetta_traits import idle_words, trait_words
from qviz.figures.rosetta_words import DIGITS, span
from qviz.quantizers.steps import RANGES
from qviz.rosetta.answers import Answer
from qviz.rosetta.divergence import VALUES, Divergence

MADE = {
    "widened": "widens", "mirrored": "mirrors", "stretched": "stretches", "snapped": "raises",
    "shifted": "shifts",
}  # fmt: skip


def sentence(a: Answer, b: Answer, found: Divergence) -> str:
    """Where two rules part, in one sentence; ``a`` is the first of them."""
    names = f"{a.rule.title} and {b.rule.title}"
    if found.first is None:
        return f"{names} {_alike(a, b, found)}."
    where, how = _parting(a, b, found)
    return f"{names} part at {where}: {how}{_outcome(a, b)}."


def _alike(a: Answer, b: Answer, found: Divergence) -> str:
    if a.quantizer is None or b.quantizer is None:
        if a.degenerate == b.degenerate:
            return f"end alike: {_end(a)}"
        return f"end differently: the first with {_end(a)}, the second with {_end(b)}"
    idle = idle_words(found)
    if idle:
        return f"make the same codes and values here, though they differ at {idle}"
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
    if found.cause is not None:
        return trait_words(found)
    if name == VALUES or line is None:
        return "the way back", _back(a, b)
    if name in RANGES:
        return f"the range {span(*a.requested)}", f"the first {_range(a)}, the second {_range(b)}"
    return number_words(name, a, b, line)


def _range(answer: Answer) -> str:
    """What a rule makes of the range, one thing after the other: ``widens it to [0, 3]``."""
    before, said = answer.requested, []
    for name in RANGES:
        step = answer.step(name)
        if step is None:
            continue
        pair = step.values[0], step.values[1]
        if name in MADE and span(*pair) != span(*before):
            note = f", {step.note}" if step.note.startswith("at least") else ""
            said.append(f"{MADE[name]} it to {span(*pair)}{note}")
        before = pair
    return " and then ".join(said) or "takes it as it is"


def _back(a: Answer, b: Answer) -> str:
    """How equal codes come to stand for other values."""
    first, second = _formula(a), _formula(b)
    if first != second:
        return f"all codes are equal, but the first computes {first}, the second {second}"
    scales = until_they_differ(a.scale, b.scale, DIGITS)
    if scales[0] != scales[1]:
        return f"all codes are equal, but stand for steps of {scales[0]} and of {scales[1]}"
    return "all codes are equal, but operations are rounded otherwise"


def _formula(answer: Answer) -> str:
    formula = "" if answer.quantizer is None else type(answer.quantizer).formula
    return formula.partition("x' = ")[2] or "values of its own"
