"""All rules on one case, or on many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from qviz.doctor.base import RULES, Examined, Finding
from qviz.doctor.case import Case
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
    return Examined(case.name, findings, skipped, len(rules))


def ranked(cases: Iterable[Case]) -> tuple[Examined, ...]:
    """Many tensors, such as a model's: the one with the worst finding first."""
    return worst_first(map(examined, cases))


def worst_first(made: Iterable[Examined]) -> tuple[Examined, ...]:
    """Examined tensors, the one with the worst finding first."""
    return tuple(sorted(made, key=rank))


def rank(one: Examined) -> tuple[int, bool, float, str]:
    """Sorts examined tensors, the one with the worst finding first."""
    return (*one.findings[0].rank[:3], one.name) if one.findings else (1, True, 0.0, one.name)
