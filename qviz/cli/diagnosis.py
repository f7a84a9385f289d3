"""Findings as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from qviz.cli.shown import strict
from qviz.cli.text import plain
from qviz.doctor.base import Examined, Finding, Fix


def as_json(found: Sequence[Examined]) -> str:
    """A list of findings, worst first, each with its tensor's name."""
    rows = [_record(one, finding) for one in found for finding in one.findings]
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


def as_text(found: Sequence[Examined]) -> str:
    """Lines for people: a heading for each tensor, its findings and what repairs them."""
    lines = []
    for one in found:
        lines.append(f"{plain(one.name)}: {_heading(one)}")
        lines += [line for finding in one.findings for line in _lines(finding)]
    return "\n".join(lines)


def _heading(one: Examined) -> str:
    if not one.findings:
        return f"nothing wrong, {one.looked} rules looked"
    return f"{len(one.findings)} of {one.looked} rules found something"


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
