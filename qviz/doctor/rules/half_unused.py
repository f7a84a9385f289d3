"""Symmetric codes on a side where there is little data, or none."""

from __future__ import annotations

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import counted, interval

BEYOND = 0.5  # of the data's range, by which the mirrored end lies beyond the data


@rule(
    "HALF-UNUSED",
    title="Codes on a side without data",
    fires="symmetric codes, and no value is below 0 (or none above), or the mirrored end lies over "
    "half the data's range beyond the data",
    rated="always a note: as expected",
    reports=(
        *("pytorch/pytorch#23838", "microsoft/onnxruntime#14626"),
        *("qualcomm/aimet#540", "tensorflow/model-optimization#300"),
    ),
)
def half_unused(case: Case) -> Finding | None:
    """One bit is spent on a sign that the data never has, or part of it on one it hardly has."""
    lo, hi = case.ends
    if not case.spec.symmetric or lo == hi or case.given is not None:
        return None
    return _mirrored(case) if lo < 0 < hi else _half(case)


def _half(case: Case) -> Finding:
    lo, hi = case.ends
    side = "below" if lo >= 0 else "above"
    evidence = {"min": lo, "max": hi, "codes_used": case.metric("codes_used")}
    message = (
        f"No value lies {side} 0 (0 of them), so half of the {case.spec.levels} symmetric codes "
        "are never used: one bit, as expected."
    )
    return _finding(case, message, evidence)


def _mirrored(case: Case) -> Finding | None:
    """The covered range beside the data's, of which one end is the other one mirrored."""
    (lo, hi), kept = case.ends, case.row.covered
    if kept is None or not case.per_tensor:
        return None
    reach = min(-float(kept.lo[0]), float(kept.hi[0]), max(-lo, hi))
    beyond, step = reach - min(-lo, hi), float(case.grid.step[0])
    if beyond <= BEYOND * (hi - lo) or not beyond / case.spec.levels < step:
        return None
    unused = int(beyond / step)
    covered = float(kept.lo[0]), float(kept.hi[0])
    evidence = {"min": lo, "max": hi, "covered": covered, "unused": unused}
    evidence |= {"beyond": beyond / (hi - lo), "threshold": BEYOND, "codes": case.spec.levels}
    message = (
        f"Symmetric codes mirror the range: they cover {interval(*covered)}, the data lies in "
        f"{interval(lo, hi)}, {beyond / (hi - lo):.2g} of its range short of an end (over "
        f"{BEYOND:g}): {counted(unused, 'code')} of {case.spec.levels} are never used, as expected."
    )
    return _finding(case, message, evidence)


def _finding(case: Case, message: str, evidence: dict[str, object]) -> Finding:
    setting = changed(case, symmetric=False, narrow_range=False, signed=case.ends[0] < 0)
    found = remedies(case, [("use affine codes", setting)])
    return Finding(NOTE, message, evidence, found.fixes, found.tried, expected=True)
