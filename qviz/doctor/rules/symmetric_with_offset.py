"""A symmetric flag beside a zero point that is not the middle."""

from __future__ import annotations

from qviz.doctor.base import HIGH, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.observers.typed import TypedObserver


@rule(
    "SYMMETRIC-WITH-OFFSET",
    title="Symmetric, but with an offset",
    fires="codes are called symmetric and signed, and the zero point is not 0",
    rated="always high: a converter refuses, or all of one sign is lost",
    reports=("qualcomm/aimet#2468", "qualcomm/aimet#2220"),
)
def symmetric_with_offset(case: Case) -> Finding | None:
    """The zero point, and what it would be in the other convention."""
    given, zero = case.given, offset_of(case)
    if given is None or not zero:
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
    found = remedies(case, ways)
    message = (
        f"The codes {low} to {high} are called symmetric, but the zero point is {zero} (0 is "
        f"meant): an offset of {-half} counts codes from 0, the other convention."
    )
    return Finding(HIGH, message, evidence, found.fixes, found.tried)


def offset_of(case: Case) -> int:
    """The first zero point other than 0 of codes that are called symmetric and signed; else 0."""
    given = case.given
    if given is None or not case.spec.symmetric or given.quant_min >= 0 or not given.sound:
        return 0
    off = given.zero_point[given.zero_point != 0]
    return int(off[0]) if off.size else 0
