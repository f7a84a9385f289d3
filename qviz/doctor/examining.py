"""All rules on one case, or on many."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from qviz.doctor.base import RULES, Examined, Finding
from qviz.doctor.case import Case
from qviz.doctor.gains import outcome_of
from qviz.doctor.settings import present
from qviz.errors import QvizError
from qviz.spec import Role

OF_VECTORS = ("NON-FINITE",)  # all that is asked of vectors in a model


def stays_wide(shape: Sequence[int], role: str) -> bool:
    """Whether a tensor of a model is a vector that is not quantized: a bias, a norm's weight."""
    return len(shape) < 2 and role != Role.ACTIVATION


def examine(case: Case) -> tuple[Finding, ...]:
    """What is wrong with a case, worst first, and what is as expected, last."""
    return examined(case).findings


def examined(case: Case, rules: Collection[str] = RULES) -> Examined:
    """The same, with the rules that could not look and why; never raises a QvizError.

    ``rules`` are the names of those that are asked.
    """
    found, skipped = [], {}
    for name in rules:
        entry = RULES.entry(name)
        try:
            with np.errstate(all="ignore"):
                made = entry.made(case)
        except QvizError as error:
            skipped[name] = str(error)
            continue
        if made is not None:
            found.append(replace(made, rule=name, source=str(entry.source)))
    findings = tuple(sorted(found, key=lambda finding: finding.rank))
    now = outcome_of(case, present(case)) if findings and case.runs is not None else None
    return Examined(case.name, findings, skipped, len(rules), now)


def ranked(cases: Iterable[Case]) -> tuple[Examined, ...]:
    """Many tensors, such as a model's: the one with the worst finding first."""
    return worst_first(map(examined, cases))


def worst_first(made: Iterable[Examined]) -> tuple[Examined, ...]:
    """Examined tensors, the one with the worst finding first."""
    return tuple(sorted(made, key=rank))


def rank(one: Examined) -> tuple[float | bool | str, ...]:
    """Sorts examined tensors, the one with the worst finding first.

    Of one level that which costs most at the model's output, where it ran; then by what is gained.
    """
    if not one.findings:
        return 1, True, True, 0.0, 0.0, 0.0, one.name
    level, expected, gain, _ = one.findings[0].rank
    if one.now is None:
        return level, expected, True, 0.0, 0.0, gain, one.name
    right = 1.0 if one.now.accuracy is None else one.now.accuracy
    arrives = math.inf if one.now.sqnr is None else one.now.sqnr
    return level, expected, False, right, arrives, gain, one.name
