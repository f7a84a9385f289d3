"""A grid that was moved until it holds 0, away from the data."""

from __future__ import annotations

from qviz.doctor.base import Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import widened
from qviz.doctor.masks import unmasked
from qviz.doctor.settings import changed
from qviz.doctor.words import interval, number, percent

MOST = 1.0  # steps by which an end may move inwards
JUST = 1e-6  # of them, for what rounding does to ends


@rule(
    "NUDGE-MOVED-WINDOW",
    title="The window was moved off the data",
    fires="an end of the range asked for lies over 1 step outside the covered one; data is lost",
    rated="the gain of widening instead",
    reports=("tensorflow/tensorflow#16995", "tensorflow/tensorflow#23351"),
)
def nudge_moved_window(case: Case) -> Finding | None:
    """Requested and covered range, and what lies between them."""
    row, step = case.row, case.grid.step
    if row.range is None or row.covered is None or not case.per_tensor:
        return None
    if not step[0] > 0:  # of a range that has no width
        return None
    asked = float(row.range.lo[0]), float(row.range.hi[0])
    kept = float(row.covered.lo[0]), float(row.covered.hi[0])
    moved = max(kept[0] - asked[0], asked[1] - kept[1]) / float(step[0])
    lost = unmasked(case).metric("clipped_share") or 0.0
    if not moved > MOST + JUST or lost == 0:
        return None
    evidence = {"requested": asked, "covered": kept, "steps": moved, "clipped_share": lost}
    found = widened(case, [("widen the range to hold 0 instead", changed(case, mode="affine"))])
    message = (
        f"The range {interval(*asked)} became {interval(*kept)}, {number(moved)} steps off (1 is "
        f"allowed): the rule moves the window until it holds 0, and {percent(lost)} of the values "
        "are outside."
    )
    return found.finding(message, evidence)
