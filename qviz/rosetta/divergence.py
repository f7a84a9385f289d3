"""The first step at which two rules part, found by comparing what they computed on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.steps import CODES, RANGES, SCALES, ZEROS, Step
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import stored

LAST_BITS = 1e-3  # steps; values that differ by less differ in rounding errors
VALUES = "values"  # the step after the codes: what they stand for
TRAITS = CODES[1:]
SHOWN = (*RANGES, *SCALES, *ZEROS, *CODES)


@dataclass(frozen=True)
class Line:
    """One step of both rules: what each had there, and whether these are equal in float32.

    ``a`` and ``b`` are the rule's own step, or the one it still goes on with; None before there
    is any. ``own`` says whether either has a step of this name.
    """

    name: str
    a: Step | None
    b: Step | None
    equal: bool
    own: bool


@dataclass(frozen=True)
class Divergence:
    """Where two rules part.

    ``first`` is the name of the step, ``values`` if only the way back differs, or None where
    nothing that was recorded tells them apart. ``noticed`` says whether any element of those
    looked at gets another code or value.
    """

    lines: tuple[Line, ...]
    first: str | None
    noticed: bool


def divergence(a: Answer, b: Answer, x: np.ndarray) -> Divergence:
    """Compare two answers step by step; ``x`` are elements (n,) on which codes are compared.

    A difference that is gone at a later step (a range that is mirrored anyway) is none: the step
    named is the first after which the two never agree again, up to where their qparams differ.
    """
    lines = tuple(_lines(a, b))
    apart = {line.name for line in lines if not line.equal}
    if a.quantizer is None or b.quantizer is None:
        apart_for_good = a.degenerate != b.degenerate
        path = _open(a, b)
        first = next((line.name for line in lines if line.name in path and not line.equal), None)
        return Divergence(lines, first if apart_for_good else None, apart_for_good)
    noticed, differing, back = _noticed(a, b, x)
    for path in ((*RANGES, *SCALES), (*RANGES, *ZEROS), ("codes",)):
        if path[-1] in apart:
            return Divergence(lines, _first(lines, path), noticed)
    traits = [name for name in TRAITS if name in apart]
    if traits and not back:
        return Divergence(lines, _responsible(a, b, traits, differing), noticed)
    return Divergence(lines, VALUES if noticed or back else None, noticed)


def _open(a: Answer, b: Answer) -> Sequence[str]:
    """Steps to look at where a rule has no grid: those that both went through."""
    there = {step.name for step in a.steps} & {step.name for step in b.steps}
    zeros = any(name in there for name in ZEROS)
    return (*RANGES, *SCALES, *(ZEROS if zeros else ()))


def _lines(a: Answer, b: Answer) -> list[Line]:
    one, other = _filled(a), _filled(b)
    own = {step.name for step in (*a.steps, *b.steps)}
    return [
        Line(name, one.get(name), other.get(name), _equal(name, one, other, a, b), name in own)
        for name in SHOWN
    ]


def _filled(answer: Answer) -> dict[str, Step]:
    """Each name with the step that is in force there: its own, or that of the same kind before.

    A scale without a floor is the same before it; a zero point that is fixed was never rounded.
    """
    own = {step.name: step for step in answer.steps}
    for family in (RANGES, SCALES, ZEROS):
        last = None
        for name in family:
            last = own.setdefault(name, last) if last else own.get(name)
    for name in reversed(SCALES[:-1]):
        later = SCALES[SCALES.index(name) + 1]
        if name not in own and later in own:
            own[name] = own[later]
    return own


def _equal(name: str, one: dict[str, Step], other: dict[str, Step], a: Answer, b: Answer) -> bool:
    left, right = one.get(name), other.get(name)
    if left is None or right is None:
        return left is right
    if name in TRAITS:
        return left.note == right.note
    first, second = left.values, right.values
    if name in ZEROS:
        first, second = from_lowest(first, a), from_lowest(second, b)
        if name in ("raw zero point", "clamp") and _alike("rounded", one, other):
            return first == second or first != first  # one rule for ties: only digits can part them
    if name == "codes":
        return first[1] - first[0] == second[1] - second[0]
    with np.errstate(over="ignore"):
        narrow = np.array(first, np.float32), np.array(second, np.float32)
    return bool(np.array_equal(*narrow, equal_nan=True))


def _alike(name: str, one: dict[str, Step], other: dict[str, Step]) -> bool:
    """Whether both do the same thing at a step, whatever numbers come of it."""
    notes = [steps[name].note if name in steps else None for steps in (one, other)]
    return notes[0] == notes[1]


def from_lowest(values: tuple[float, ...], answer: Answer) -> tuple[float, ...]:
    """Zero points counted from the lowest code."""
    low = answer.ends[0] if answer.ends else answer.rule.spec.ends[0]
    return tuple(value - low for value in values)


def _first(lines: Sequence[Line], path: Sequence[str]) -> str | None:
    """The step after the last at which both agree, if they differ there."""
    along = [line for line in lines if line.name in path]
    first = None
    for line in along:
        first = None if line.equal else first or line.name
    return first


def _noticed(a: Answer, b: Answer, x: np.ndarray) -> tuple[bool, np.ndarray, bool]:
    """Whether any element differs, those whose codes do, and whether equal codes mean other values.

    Values of equal codes that differ by rounding errors alone do not count for the last.
    """
    if a.quantizer is None or b.quantizer is None or not x.size:
        return False, x[:0], False
    one, other = stored(a.quantizer, x), stored(b.quantizer, x)
    codes, values = one.codes != other.codes, one.values != other.values
    with np.errstate(all="ignore"):
        gap = np.abs(one.values - other.values)[~codes].max(initial=0.0)
    return bool(codes.any() or values.any()), x[codes], bool(gap > LAST_BITS * (a.scale or np.inf))


def _responsible(a: Answer, b: Answer, traits: list[str], x: np.ndarray) -> str:
    """The trait that, exchanged alone, makes most of the codes that differ agree.

    Of equals the first; the first of all where none does.
    """
    if a.quantizer is None or b.quantizer is None or not x.size:
        return traits[0]
    mine, theirs = a.quantizer.arithmetic, b.quantizer.arithmetic
    if mine is None or theirs is None:
        return traits[0]
    rows = x[None]
    with np.errstate(all="ignore"):
        wanted = np.asarray(theirs.encode(rows), np.float64) - b.quantizer.ends[0]
        mended = {name: _mended(exchanged(mine, theirs, name), a, rows, wanted) for name in traits}
    return max(traits, key=lambda name: mended[name])


def _mended(how: Arithmetic, a: Answer, rows: np.ndarray, wanted: np.ndarray) -> int:
    low = a.ends[0] if a.ends else 0
    return int((np.asarray(how.encode(rows), np.float64) - low == wanted).sum())


def exchanged(mine: Arithmetic, theirs: Arithmetic, name: str) -> Arithmetic:
    """``mine`` with one trait of ``theirs``."""
    if name == "precision":
        return replace(mine, dtype=theirs.dtype, once=None)
    if name == "tie":
        return replace(mine, tie=theirs.tie)
    if name == "quotient":
        kept = {"factor": theirs.factor, "divides": theirs.divides, "inverts": theirs.inverts}
        return replace(mine, **kept, times=theirs.times)
    if mine.origin is not None or theirs.origin is not None:
        counted = {"origin": theirs.origin, "before": theirs.before, "after": theirs.after}
        return replace(mine, **counted, once=theirs.once)
    return replace(mine, before=mine.after, after=mine.before, once=None)
