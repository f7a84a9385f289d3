"""Ends of the range that are not the data's: how a grid comes to hold 0."""

from __future__ import annotations

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.words import interval, number

LEAST, MOST = 0.01, 1.0  # steps


@rule(
    "NUDGED-ENDS",
    title="The ends moved a little",
    fires="affine codes, and the covered range is 0.01 to 1 step off the requested one",
    rated="always a note: as expected",
    reports=("qualcomm/aimet#540", "tensorflow/model-optimization#300"),
)
def nudged_ends(case: Case) -> Finding | None:
    """Requested and covered range."""
    row = case.row
    if row.range is None or row.covered is None or not case.per_tensor or case.spec.symmetric:
        return None
    step = float(case.grid.step[0])
    if not step > 0:  # of a range that has no width
        return None
    asked = float(row.range.lo[0]), float(row.range.hi[0])
    kept = float(row.covered.lo[0]), float(row.covered.hi[0])
    moved = max(abs(kept[0] - asked[0]), abs(kept[1] - asked[1])) / step
    if not LEAST < moved <= MOST:
        return None
    evidence = {"requested": asked, "covered": kept, "steps": moved, "threshold": LEAST}
    message = (
        f"The grid covers {interval(*kept)} where {interval(*asked)} was asked: moved by "
        f"{number(moved)} steps (at most half a step or so), so that 0 is a level."
    )
    return Finding(NOTE, message, evidence, expected=True)
