"""A symmetric flag beside a zero point that is not the middle."""

from __future__ import annotations

from qviz.doctor.base import Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.observers.typed import TypedObserver


@rule(
    "SYMMETRIC-WITH-OFFSET",
    title="Symmetric, but with an offset",
    fires="codes are called symmetric and signed, and the zero point is not 0",
    rated="the gain of zero point 0 with the same scale",
    reports=("qualcomm/aimet#2468", "qualcomm/aimet#2220"),
)
def symmetric_with_offset(case: Case) -> Finding | None:
    """The zero point, and what it would be in the other convention."""
    given = case.given
    if given is None or not case.spec.symmetric or given.quant_min >= 0 or not given.sound:
        return None
    zero = int(given.zero_point[0])
    if not given.zero_point.any():
        return None
    low, high = given.quant_min, given.quant_max
    half = (high - low + 1) // 2
    evidence = {"zero_point": zero, "codes": (low, high), "as_unsigned_offset": -half}
    ways = []
    if given.scale.size == 1 and case.stream is not None:
        plain = TypedObserver(float(given.scale[0]), 0, low, high)
        ways = [
            ("read it as zero point 0: the offset counts unsigned", changed(case, observer=plain))
        ]
    found = remedies(case, ways) if ways else remedies(case, ())
    message = (
        f"The codes {low} to {high} are called symmetric, but the zero point is {zero} (0 is "
        f"meant): an offset of {-half} counts codes from 0, the other convention."
    )
    return found.finding(message, evidence)
