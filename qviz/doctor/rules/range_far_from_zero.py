"""Data on one side of 0, which must be a level nevertheless."""

from __future__ import annotations

from typing import Any

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import counted, decibels, number, percent
from qviz.spec import Role

NARROW = 0.25  # of the widened range
UNUSED = 0.05  # of the codes, from which a gap beside 0 is worth a note
SHORT = 1024  # elements of a vector that stays wide in a deployed model


@rule(
    "RANGE-FAR-FROM-ZERO",
    title="A narrow range far from zero",
    fires="0 outside [min, max], and max - min below 0.25 of the range widened to hold 0; a note "
    "where over 5 % of the codes lie between 0 and the data",
    rated="the gain of taking the mean off; a note for vectors of at most 1024 parameters",
    reports=(
        "pytorch/pytorch#173075",
        "pytorch/pytorch#23838",
        "Jermmy/pytorch-quantization-demo#5",
    ),
)
def range_far_from_zero(case: Case) -> Finding | None:
    """Codes are spent between 0 and the data."""
    lo, hi = case.ends
    if lo <= 0 <= hi or lo == hi:
        return None
    share = (hi - lo) / (max(hi, 0.0) - min(lo, 0.0))
    if share >= NARROW:
        return _widened(case, share)
    found, evidence = remedies(case, [_centred(case)]), _evidence(case, share)
    used, trust = int(evidence["codes_used"] or 0), evidence["sqnr_centered"]
    message = (
        f"The data takes up {percent(share)} of the range (below {percent(NARROW)}), because 0 "
        f"must be a level: {counted(used, 'code')} of {case.spec.levels:,} in use"
        f"{_steps(evidence)}"
    )
    if _stays_wide(case):
        said = f"{message}; a vector of {counted(case.values.size, 'element')} stays wide anyway."
        return Finding(NOTE, said, evidence, expected=True)
    said = "" if trust is None else f", {decibels(trust)}"
    return found.finding(f"{message}; trust the SQNR without the mean{said}.", evidence)


def _centred(case: Case) -> tuple[str, Any]:
    words = "take the mean off and fold it into the bias"
    return words, changed(case, transform="subtracted_mean")


def _evidence(case: Case, share: float) -> dict[str, Any]:
    evidence: dict[str, Any] = {"share_of_range": share, "threshold": NARROW}
    evidence |= {"codes_used": case.metric("codes_used"), "codes": case.spec.levels}
    evidence |= {name: case.metric(name) for name in ("sqnr", "sqnr_centered")}
    if len(case.scales) == 1:
        scale, (lo, hi) = float(case.scales[0]), case.ends
        evidence |= {"scale": scale, "span_in_steps": (hi - lo) / scale if scale > 0 else None}
    return evidence


def _steps(evidence: dict[str, Any]) -> str:
    span = evidence.get("span_in_steps")
    if span is None:
        return ""
    return f", max - min is {number(span)} steps of {number(evidence['scale'])}"


def _stays_wide(case: Case) -> bool:
    """Whether this is a short vector of parameters, as of a normalization."""
    first = case.values.batches[0]
    vector = len(case.values.batches) == 1 and len(first.shape) == 1
    return vector and case.values.size <= SHORT and case.role != Role.ACTIVATION


def _widened(case: Case, share: float) -> Finding | None:
    """A band beside 0 that is not narrow: how many codes lie between."""
    if case.spec.symmetric or case.given is not None or not case.per_tensor:
        return None
    grid, (lo, hi) = case.grid, case.ends
    near, far = (lo, hi) if lo > 0 else (hi, lo)
    last, step = max(abs(end - int(grid.zero_point[0])) for end in grid.ends), float(grid.step[0])
    if not step > 0 or not abs(far) / step < last + 1:
        return None  # the range was cut or moved
    unused = abs(round(near / step))
    if unused < UNUSED * case.spec.levels:
        return None
    evidence = {"share_of_range": share, "unused": unused, "codes": case.spec.levels}
    evidence |= {"threshold": UNUSED, "near_end": near, "sqnr": case.metric("sqnr")}
    found = remedies(case, [_centred(case)])
    message = (
        f"The range is widened to hold 0: {counted(unused, 'code')} of {case.spec.levels:,} (over "
        f"{percent(UNUSED)}) lie between 0 and {number(near)} and are never used, as expected."
    )
    return Finding(NOTE, message, evidence, found.fixes, found.tried, expected=True)
