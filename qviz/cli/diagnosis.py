"""Findings as text and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from qviz.cli.shown import strict
from qviz.cli.text import plain
from qviz.doctor.base import Examined, Finding, Fix

NAMED = 3  # rules that are named where they could not look
WIDE = "a vector, which stays wide in a model: only looked for what is not finite"


@dataclass(frozen=True, eq=False)
class Told:
    """What was found of a tensor, and what else is to be told of it.

    ``alone`` marks a vector of a model; ``refused`` says why the setting cannot serve, which is
    ``explained`` where findings say it too; ``axis`` says that channels were asked for in vain.
    """

    found: Examined
    alone: bool = False
    refused: str = ""
    explained: bool = True
    axis: str = ""


def as_json(told: Sequence[Told]) -> str:
    """A list of findings, worst first, each with its tensor's name."""
    rows = [_record(one.found, finding) for one in told for finding in one.found.findings]
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False)


def _record(one: Examined, finding: Finding) -> dict[str, Any]:
    return {
        "tensor": one.name,
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "evidence": {name: _plain(value) for name, value in finding.evidence.items()},
        "fixes": [_way(fix) for fix in finding.fixes],
        "analysis": [_way(fix) for fix in finding.analysis],
        "expected": finding.expected,
        "source": finding.source,
    }


def _way(fix: Fix) -> dict[str, Any]:
    made = {"action": fix.action, "gain_db": strict(fix.gain_db), "measured_at": fix.measured_at}
    made |= {"how": dict(fix.how)}
    return made if fix.accuracy is None else made | {"accuracy": fix.accuracy}


def _plain(value: Any) -> Any:
    """What JSON can hold; numbers that are not finite become null."""
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return strict(value) if isinstance(value, float) else value


def asides(told: Sequence[Told]) -> Iterator[str]:
    """Lines on what is no finding: settings that cannot serve, axes that are not there."""
    for one in told:
        yield from (f"qviz: {plain(one.found.name)}: {plain(said)}" for _, said in _notes(one))


def as_text(told: Sequence[Told]) -> str:
    """Lines for people: a heading for each tensor, its findings and what repairs them."""
    lines = []
    for one in told:
        lines.append(f"{plain(one.found.name)}: {_heading(one)}")
        lines += [line for finding in one.found.findings for line in _lines(finding)]
        lines += [f"  {word:8}  {plain(said)}" for word, said in _notes(one)]
    return "\n".join([*lines, *_skipped(told)])


def _heading(told: Told) -> str:
    """How many rules looked, those that could not left out, and how many found something."""
    one = told.found
    count, looked = len(one.findings), one.looked - len(one.skipped)
    rules = "1 rule" if looked == 1 else f"{looked} rules"
    if told.alone:
        return f"{WIDE}, found {'it' if count else 'none'}"
    if count:
        return f"{count} of {rules} found something{_arrives(one)}"
    return "not examined" if told.refused else f"nothing wrong, {rules} looked"


def _arrives(one: Examined) -> str:
    """What reaches the model's output as it is, where that is known."""
    now = one.now
    if now is None or (now.sqnr is None and now.accuracy is None):
        return ""
    left = [] if now.sqnr is None else [f"{now.sqnr:.1f} dB"]
    left += [] if now.accuracy is None else [f"{now.accuracy:.1%} right"]
    return f"; {' and '.join(left)} at the output right now"


def _notes(told: Told) -> Iterator[tuple[str, str]]:
    if told.refused:
        yield "refused", f"{told.refused.rstrip('.')}."
    if told.axis:
        yield "axis", told.axis


def _skipped(told: Sequence[Told]) -> Iterator[str]:
    """Each reason once, with the rules that could not look for it, and at how many tensors."""
    by_reason: dict[str, dict[str, None]] = {}
    tensors: Counter[str] = Counter()
    for one in told:
        for name, reason in one.found.skipped.items():
            if reason != one.refused:  # which is told already
                by_reason.setdefault(reason, {})[name] = None
        tensors.update({*one.found.skipped.values()} - {one.refused})
    for reason, names in by_reason.items():
        who = ", ".join(names) if len(names) <= NAMED else f"{len(names)} rules"
        line = f"{'skipped':8}  {who}: {plain(reason)}"
        several = f"{line} ({tensors[reason]} of {len(told)} tensors)"
        yield several if len(told) > 1 else f"  {line}"


def _lines(finding: Finding) -> Iterator[str]:
    level = "expected" if finding.expected else finding.severity
    yield f"  {level:8}  {finding.rule}: {plain(finding.message)}"
    yield from (_gain(fix) for fix in finding.fixes)
    yield from (f"{_gain(fix)}, for analysis only" for fix in finding.analysis)


def _gain(fix: Fix) -> str:
    spelled = ", ".join(f"{name} {value}" for name, value in fix.how.items())
    spelled = f" ({spelled})" if spelled else ""
    right = "" if fix.accuracy is None else f", {fix.accuracy:.1%} right"
    return f"            + {fix.gain_db:.1f} dB at {fix.measured_at}{right}: {fix.action}{spelled}"
