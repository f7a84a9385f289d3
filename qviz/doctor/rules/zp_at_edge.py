"""A zero point at the end of the codes although the data has both signs."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import undone
from qviz.doctor.masks import unmasked
from qviz.doctor.rules.symmetric_with_offset import offset_of
from qviz.doctor.rules.uncalibrated import uncalibrated
from qviz.doctor.words import number, percent

LOST = 0.01  # share of the values on the side without codes


@rule(
    "ZP-AT-EDGE",
    title="Zero point at the end of the codes",
    fires="the zero point is the first or last code, and over 1 % of the values lie beyond it",
    rated="the gain of a range that holds both signs; a note where UNCALIBRATED says why",
    reports=("microsoft/onnxruntime#10846", "microsoft/onnxruntime#10571"),
)
def zp_at_edge(case: Case) -> Finding | None:
    """All values of one sign become 0. A symmetric flag beside such a zero point says why."""
    grid, bare = case.grid, unmasked(case)
    cells, zero = bare.cells, int(grid.zero_point[0])
    if zero not in grid.ends or offset_of(case):
        return None
    side = "negative" if zero == grid.ends[0] else "positive"
    near = float(grid.step[0]) / 2  # what is nearer to 0 becomes 0 on any such grid
    beyond = cells.hi[0] < -near if side == "negative" else cells.lo[0] > near
    share = float(np.sum(cells.count[0][beyond]) / max(int(cells.total[0]), 1))
    if share <= LOST:
        return None
    evidence = {"zero_point": zero, "codes": grid.ends, "lost_share": share, "lost_side": side}
    if case.row.range is not None:
        evidence["range"] = (float(case.row.range.lo[0]), float(case.row.range.hi[0]))
    left, scale = bare.metric("sqnr"), float(grid.step[0])
    evidence |= {"scale": scale, "sqnr": left}
    message = (
        f"Zero point {zero} is the {'first' if zero == grid.ends[0] else 'last'} code but "
        f"{percent(share)} of the values are {side} (over {percent(LOST)}): all of them become 0; "
        f"with a scale of {number(scale)} {'–' if left is None else number(left)} dB are left."
    )
    if uncalibrated(case) is not None:
        said, cause = f"{message[:-1]}; UNCALIBRATED says why.", {"cause": "UNCALIBRATED"}
        return Finding(NOTE, said, evidence | cause)
    return undone(case).finding(message, evidence)
