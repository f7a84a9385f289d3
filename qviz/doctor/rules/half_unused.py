"""Data of one sign on a symmetric grid."""

from __future__ import annotations

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed


@rule(
    "HALF-UNUSED",
    title="Half of the codes are unused",
    fires="no value is below 0 (or none above), and the codes are symmetric",
    rated="always a note: as expected",
    reports=("pytorch/pytorch#23838", "microsoft/onnxruntime#14626"),
)
def half_unused(case: Case) -> Finding | None:
    """One bit is spent on a sign that the data never has."""
    lo, hi = case.ends
    if not case.spec.symmetric or lo == hi or lo < 0 < hi or case.given is not None:
        return None
    setting = changed(case, symmetric=False, narrow_range=False, signed=lo < 0)
    found = remedies(case, [("use affine codes", setting)])
    side = "below" if lo >= 0 else "above"
    evidence = {"min": lo, "max": hi, "codes_used": case.metric("codes_used")}
    message = (
        f"No value lies {side} 0 (0 of them), so half of the {case.spec.levels} symmetric codes "
        "are never used: one bit, as expected."
    )
    return Finding(NOTE, message, evidence, found.fixes, found.tried, expected=True)
