"""The first step at which two rules part, found by comparing what they computed on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.quantizers.steps import CODES, RANGES, SCALES, ZEROS, Step
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import lowest, stored
from qviz.rosetta.exchange import Cause, cause, exchangeable, way_of

VALUES = "values"  # the step after the codes: what they stand for
TOGETHER = "together"  # several traits at once, no single one of which explains all codes
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

    ``first`` is the name of the step; ``together`` where only several traits explain the codes;
    ``values`` if all codes are equal and only the way back differs; None where no element notices
    anything. ``noticed`` says whether any element of those looked at gets another code or value.
    ``cause`` is what was found by exchanging traits, None where qparams differ or codes do not.
    """

    lines: tuple[Line, ...]
    first: str | None
    noticed: bool
    cause: Cause | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """The steps that are named: one, several, or none."""
        if self.cause is not None:
            return self.cause.together
        return () if self.first is None else (self.first,)


def divergence(a: Answer, b: Answer, x: np.ndarray) -> Divergence:
    """Compare two answers step by step; ``x`` are elements (n,) on which codes are compared.

    A difference that is gone at a later step (a range that is mirrored anyway) is none: the step
    named is the first after which the two never agree again, up to where their qparams differ.
    Rules of one scale and zero point part in how they make codes. The trait named is one that,
    taken from the other rule, makes every code equal; where none does, the fewest that do so.
    """
    lines = tuple(_lines(a, b))
    apart = {line.name for line in lines if not line.equal}
    if a.quantizer is None or b.quantizer is None:
        apart_for_good = a.degenerate != b.degenerate
        path = _open(a, b)
        first = next((line.name for line in lines if line.name in path and not line.equal), None)
        return Divergence(lines, first if apart_for_good else None, apart_for_good)
    codes, values = _noticed(a, b, x)
    for path in ((*RANGES, *SCALES), (*RANGES, *ZEROS)):
        if path[-1] in apart:
            return Divergence(lines, _first(lines, path), codes or values)
    if not codes:
        return Divergence(lines, VALUES if values else None, values)
    found = cause(a.quantizer, b.quantizer, x)
    first = found.together[0] if len(found.together) == 1 else TOGETHER
    return Divergence(lines, first, True, found)


def _open(a: Answer, b: Answer) -> Sequence[str]:
    """Steps to look at where a rule has no grid: those that both went through."""
    there = {step.name for step in a.steps} & {step.name for step in b.steps}
    zeros = any(name in there for name in ZEROS)
    return (*RANGES, *SCALES, *(ZEROS if zeros else ()))


def _lines(a: Answer, b: Answer) -> list[Line]:
    one, other = _filled(a), _filled(b)
    own = {step.name for step in (*a.steps, *b.steps)}
    unlike = _unlike(a, b)
    return [
        Line(
            name,
            one.get(name),
            other.get(name),
            name not in unlike if name in CODES else _equal(name, one, other, a, b),
            name in own,
        )
        for name in SHOWN
    ]


def _unlike(a: Answer, b: Answer) -> tuple[str, ...]:
    """Traits in which the two differ."""
    one = None if a.quantizer is None else way_of(a.quantizer)
    other = None if b.quantizer is None else way_of(b.quantizer)
    if one is None or other is None:
        return () if one is other else CODES
    return exchangeable(one, other)


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
    first, second = left.values, right.values
    if name in ZEROS:
        first, second = from_lowest(first, a), from_lowest(second, b)
        if name in ("raw zero point", "clamp") and _alike("rounded", one, other):
            return first == second or first != first  # one rule for ties: only digits can part them
    with np.errstate(over="ignore"):
        narrow = np.array(first, np.float32), np.array(second, np.float32)
    return bool(np.array_equal(*narrow, equal_nan=True))


def _alike(name: str, one: dict[str, Step], other: dict[str, Step]) -> bool:
    """Whether both do the same thing at a step, whatever numbers come of it."""
    notes = [steps[name].note if name in steps else None for steps in (one, other)]
    return notes[0] == notes[1]


def from_lowest(values: tuple[float, ...], answer: Answer) -> tuple[float, ...]:
    """Zero points counted from the lowest code of the type."""
    low = lowest(answer.ends or answer.rule.spec.ends)
    return tuple(value - low for value in values)


def _first(lines: Sequence[Line], path: Sequence[str]) -> str | None:
    """The step after the last at which both agree, if they differ there."""
    along = [line for line in lines if line.name in path]
    first = None
    for line in along:
        first = None if line.equal else first or line.name
    return first


def _noticed(a: Answer, b: Answer, x: np.ndarray) -> tuple[bool, bool]:
    """Whether any code differs, and whether any value does."""
    if a.quantizer is None or b.quantizer is None or not x.size:
        return False, False
    one, other = stored(a.quantizer, x), stored(b.quantizer, x)
    return bool((one.codes != other.codes).any()), bool((one.values != other.values).any())
