"""Data in a narrow band far from 0, which must be a level nevertheless."""

from __future__ import annotations

from qviz.doctor.base import Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import counted, decibels, percent

NARROW = 0.25  # of the widened range


@rule(
    "RANGE-FAR-FROM-ZERO",
    title="A narrow range far from zero",
    fires="0 outside [min, max], and max - min below 0.25 of the range widened to hold 0",
    rated="the gain of taking the mean off",
    reports=(
        "pytorch/pytorch#173075",
        "pytorch/pytorch#23838",
        "Jermmy/pytorch-quantization-demo#5",
    ),
)
def range_far_from_zero(case: Case) -> Finding | None:
    """Codes are spent between 0 and the data."""
    lo, hi = case.ends
    widened = max(hi, 0.0) - min(lo, 0.0)
    if lo <= 0 <= hi or lo == hi or (hi - lo) / widened >= NARROW:
        return None
    share, used = (hi - lo) / widened, case.metric("codes_used")
    evidence = {
        "share_of_range": share,
        "threshold": NARROW,
        "codes_used": used,
        "codes": case.spec.levels,
        "sqnr": case.metric("sqnr"),
        "sqnr_centered": case.metric("sqnr_centered"),
    }
    ways = [
        ("take the mean off and fold it into the bias", changed(case, transform="subtracted_mean"))
    ]
    found = remedies(case, ways)
    trust = evidence["sqnr_centered"]
    message = (
        f"The data takes up {percent(share)} of the range (below {percent(NARROW)}), because 0 "
        f"must be a level: {counted(int(used or 0), 'code')} of {case.spec.levels:,} in use; trust "
        f"the SQNR without the mean{'' if trust is None else f', {decibels(trust)}'}."
    )
    return found.finding(message, evidence)
