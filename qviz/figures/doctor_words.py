"""What the doctor found, as a heading, as a badge, and where a gain was measured."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.doctor.base import HIGH, LOW, MEDIUM, OTHERS, OUTPUT, QUIET, RULES, Examined, Finding, Fix
from qviz.doctor.elsewhere import QUIET_ROWS
from qviz.doctor.rules.outliers_set_range import USUAL
from qviz.doctor.rules.range_jump import OTHER_BATCHES
from qviz.doctor.rules.slow_average import TYPICAL
from qviz.figures.doctor_consequences import CONSEQUENCES, many
from qviz.figures.doctor_facts import Facts
from qviz.figures.numbers import decibels, fixed, percent
from qviz.figures.theme import clean, shorten

MOST = 92  # characters of a heading: one line
FAULT, CHECK, NOTED, EXPECTED = "fault", "check", "note", "expected"
WHERE = {
    OUTPUT: "at the output",
    QUIET: "for the quiet channels",
    OTHER_BATCHES: "for the other batches",
    TYPICAL: "for the typical batches",
    USUAL: "for the usual values",
    OTHERS: "for the other values",
    **{where: f"for the {where}" for where in QUIET_ROWS.values()},
}


def badge(finding: Finding) -> str:
    """``fault`` of high and medium findings, ``check`` of low ones, ``expected``, ``note``."""
    if finding.expected:
        return EXPECTED
    return {HIGH: FAULT, MEDIUM: FAULT, LOW: CHECK}.get(finding.severity, NOTED)


def heading(found: Examined) -> str:
    """The worst finding as a consequence; what is as expected; or that nothing is wrong."""
    if not found.findings:
        looked = found.looked - len(found.skipped)
        return f"Nothing wrong: {looked} rules looked, none fired"
    first = found.findings[0]
    said = consequence(first)
    if all(finding.expected for finding in found.findings):
        said = f"As expected: {said[:1].lower()}{said[1:]}"
    return shorten(said, MOST)


def all_heading(ranked: Sequence[Examined]) -> str:
    """How many tensors have a fault, and the worst of them; ``ranked`` worst first."""
    faults = [one for one in ranked if one.findings and badge(one.findings[0]) == FAULT]
    if not faults:
        checks = [one for one in ranked if one.findings and badge(one.findings[0]) == CHECK]
        part = f"{len(checks)} of {len(ranked)} tensors to check" if checks else "Nothing wrong"
        return f"{part}: {many(len(ranked), 'tensor')} looked at, none with a fault"
    worst = clean(faults[0].name.rpartition("::")[2], 24)
    what = RULES.entry(faults[0].findings[0].rule).title
    part = f"{len(faults)} of {many(len(ranked), 'tensor')} with a fault"
    return shorten(f"{part}; worst: {worst}, {what[:1].lower()}{what[1:]}", MOST)


def consequence(finding: Finding) -> str:
    """One finding in a few words, its number among them; the rule's title where none are known."""
    told = CONSEQUENCES.get(finding.rule)
    return RULES.entry(finding.rule).title if told is None else told(finding.evidence)


def gain_of(fix: Fix) -> str:
    """``+23.2 dB at the output``."""
    sign = "+" if fix.gain_db > 0 else ""
    return f"{sign}{decibels(fix.gain_db)} {WHERE.get(fix.measured_at, 'on the tensor')}"


def repair_line(finding: Finding) -> str:
    """What the best way out gains, or that there is none."""
    if finding.fixes:
        return f"{gain_of(finding.fixes[0])} when repaired"
    return "nothing tried gains" if finding.tried else "nothing to repair here"


def tried_line(tried: Sequence[Fix]) -> str:
    """Ways that were computed and gain nothing; empty without any."""
    if not tried:
        return ""
    said = ", ".join(f"{fix.action} ({_signed(fix)} dB)" for fix in tried)
    return f"Tried and not offered, little or no gain: {said}."


def now_line(facts: Facts) -> str:
    """What the tensor has now, and what reaches the model's output; empty where not known."""
    whole = "" if facts.sqnr is None else f"The whole tensor has {decibels(facts.sqnr)} now"
    there = facts.now
    if there is None:
        return f"{whole}." if whole else ""
    right = "" if there.accuracy is None else f" and {percent(there.accuracy)} are right"
    reached = "nothing is lost" if there.lossless else f"{decibels(there.sqnr)} arrive"
    return f"{whole or 'Now'}; at the model's output {reached}{right}."


def _signed(fix: Fix) -> str:
    text = fixed(fix.gain_db)
    return text if fix.gain_db < 0 and text != "0.0" else f"+{text}"
