"""What every rule makes of one value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.spec import Range

STAYS = 1e-3  # steps of error below which a value is said to stay
DOWN, STAY, UP, NOWHERE = "down", "stays", "up", "none"


@dataclass(frozen=True)
class Answer:
    """One rule's answer for one value.

    ``zero_point`` (the code of real 0, None where no level is 0) and ``code`` are counted from
    the lowest code; ``result`` is what comes back, ``error`` result - x; None where they are no
    numbers. ``clipped`` is ``low``, ``high`` or empty; ``tie`` the rule for ties (see
    ``arithmetic.TIE_WORDS``), empty where it is not declared.
    """

    rule: str
    title: str
    formula: str
    goes: str
    zero_point: float | None
    code: int | None
    result: float | None
    error: float | None
    clipped: str = ""
    tie: str = ""


@dataclass(frozen=True)
class Refusal:
    """A rule that does not serve the target, and why."""

    rule: str
    title: str
    reason: str


def rules(mode: Mode) -> dict[str, Mode]:
    """Spelling -> mode: all that are registered, ties both ways, and the one in use."""
    made = [QUANTIZERS[name]() for name in QUANTIZERS]
    listed = [QUANTIZERS.make("affine:tie=away"), mode, *made]
    return {QUANTIZERS.spell(one): one for one in listed}


def answers(
    x: np.ndarray, range: Range, target: Target
) -> tuple[tuple[Answer, ...], tuple[Refusal, ...]]:
    """Answers of all rules that accept the target, by result, and refusals of the others.

    ``x`` holds one value in the type it is counted in; ``range`` has one group.
    """
    found: list[Answer] = []
    refused: list[Refusal] = []
    for spelling, mode in rules(target.mode).items():
        title = QUANTIZERS.title_of(mode)
        there = Target(target.spec, target.granularity, mode)
        reason = mode.accepts(there)
        try:
            if reason is None:
                with np.errstate(all="ignore"):
                    quantizer = mode.quantizer(range, target.spec)
                found.append(answer(x, quantizer, spelling, title))
        except QvizError as error:
            reason = str(error)
        if reason is not None:
            refused.append(Refusal(spelling, title, reason))
    return by_result(found), tuple(refused)


def by_result(found: Iterable[Answer]) -> tuple[Answer, ...]:
    """Sorted by result, then by title; those without one last."""
    return tuple(sorted(found, key=lambda a: (a.result is None, a.result or 0.0, a.title.lower())))


@np.errstate(all="ignore")
def answer(x: np.ndarray, quantizer: Quantizer, rule: str = "", title: str = "") -> Answer:
    """What a one-group quantizer makes of one value."""
    rows = x.reshape(1, 1)
    low = quantizer.ends[0]
    before = float(np.asarray(xp.host(quantizer.encode(rows))).reshape(-1)[0])
    kept = _number(quantizer.quantize(rows))
    result = _number(quantizer.fake_quantize(rows))
    value = float(x.reshape(-1)[0])
    error = None if result is None or not np.isfinite(value) else result - value
    how = quantizer.arithmetic
    return Answer(
        rule, title, quantizer.formula, _goes(error, quantizer), _zero_point(quantizer),
        None if kept is None else int(kept) - low, result, error,
        _clipped(value, before, kept, quantizer.ends), "" if how is None else how.tie,
    )  # fmt: skip


def _clipped(value: float, before: float, kept: float | None, ends: tuple[int, int]) -> str:
    """The side on which a value leaves the codes; infinity leaves them at the end it becomes."""
    if np.isnan(value):
        return ""
    if np.isinf(value):
        return "low" if kept == ends[0] else "high" * (kept == ends[1])
    return "low" if before < ends[0] else "high" * (before > ends[1])


def _number(values: object) -> float | None:
    found = float(np.asarray(xp.host(values)).reshape(-1)[0])
    return found if np.isfinite(found) else None


def _goes(error: float | None, quantizer: Quantizer) -> str:
    if error is None:
        return NOWHERE
    step = None if quantizer.step is None else float(quantizer.step[0])
    if abs(error) <= STAYS * (step or 0.0):
        return STAY
    return UP if error > 0 else DOWN


def _zero_point(quantizer: Quantizer) -> float | None:
    """The code of real 0 above the lowest one, where the rule has such a code."""
    given = quantizer.qparams()["zero_point"]
    if given is not None:
        found = float(given[0]) - quantizer.ends[0]
        return found if np.isfinite(found) else None
    zero = np.zeros((1, 1), np.float32)
    code, back = _number(quantizer.quantize(zero)), _number(quantizer.fake_quantize(zero))
    return None if code is None or back != 0 else code - quantizer.ends[0]
