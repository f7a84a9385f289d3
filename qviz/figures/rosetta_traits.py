"""How two rules of one scale and zero point make codes, in words: one trait or several."""

from __future__ import annotations

from qviz.figures.numbers import integer, number, until_they_differ
from qviz.figures.rosetta_words import DIGITS, TRAITS
from qviz.quantizers.steps import CODES, Step
from qviz.rosetta.divergence import Divergence, Line
from qviz.rosetta.exchange import EITHER, FIRST, Cause

STARTS = "where counting starts"
UNSHOWN = "the codes", "no step that was recorded shows why they differ"


def trait_words(found: Divergence) -> tuple[str, str]:
    """Where two rules part in making codes, and how: the traits and what they explain."""
    why = found.cause
    lines = [line for line in found.lines if line.name in found.named]
    if why is None or not lines:
        return UNSHOWN
    wheres, told = [place(line) for line in lines], [_told(line) for line in lines]
    first, second = (joined(list(words)) for words in zip(*told, strict=True))
    how = f"the first {first}, the second {second}"
    if len(lines) == 1:
        return wheres[0], f"{how}; {_alone(why)}"
    apart = dict(zip(why.together, wheres, strict=True))
    return f"{joined(wheres)} together", f"{how}; {_several(why, apart)}"


def idle_words(found: Divergence) -> str:
    """Where rules differ that make the same codes and values all the same."""
    apart = [line for line in found.lines if line.name in CODES and not line.equal]
    return joined([place(line) for line in apart])


def place(line: Line) -> str:
    """The name of a trait: ``the quotient``."""
    if line.name == "codes":
        return "the codes"
    notes = [step.note for step in (line.a, line.b) if step]
    starts = line.name == "zero point added" and any("lower end" in note for note in notes)
    return STARTS if starts else TRAITS[line.name][0]


def joined(words: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _told(line: Line) -> tuple[str, str]:
    """What each rule does there, with numbers where words do not tell them apart."""
    one, other = line.a, line.b
    if one is None or other is None:
        return "says nothing of it", "says nothing of it"
    if line.name == "codes":
        return f"has {_codes(one)}", f"has {_codes(other)}"
    if line.name == "precision":
        return f"computes codes in {one.note}", f"computes codes in {other.note}"
    words = TRAITS[line.name][1]
    first, second = words[one.note], words[other.note]
    if one.note != other.note or not (one.values and other.values):
        return first, second
    pair = until_they_differ(one.values[0], other.values[0], DIGITS)
    return f"{first} ({pair[0]})", f"{second} ({pair[1]})"


def _codes(step: Step) -> str:
    low, high = step.values
    return f"{integer(int(high - low + 1))} of them, {number(low)} to {number(high)}"


def _alone(why: Cause) -> str:
    if why.taker == EITHER:
        return "that alone tells their codes apart"
    return f"with {_given(why)} way there, {_taker(why)} makes the same codes"


def _several(why: Cause, apart: dict[str, str]) -> str:
    """That no single one explains it, and what is left where one is taken over alone."""
    left = [f"{apart[name]} alone leaves {integer(k)}" for name, k in why.left if name in apart]
    more = f" ({', '.join(left)})" if left else ""
    return f"no single step explains the {integer(why.differ)} codes that differ{more}"


def _given(why: Cause) -> str:
    return "the second's" if why.taker == FIRST else "the first's"


def _taker(why: Cause) -> str:
    return "the first" if why.taker == FIRST else "the second"
