"""One batch that is far wider than all before it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qviz.doctor.base import HIGH, LOW, MEDIUM, NOTE, Finding, rule
from qviz.doctor.batchwise import gains
from qviz.doctor.batchwise import left as sqnr_of
from qviz.doctor.case import BATCHES, Case
from qviz.doctor.settings import Setting, changed
from qviz.doctor.words import decibels as db
from qviz.doctor.words import floats, times
from qviz.errors import QvizError
from qviz.observers.manual import ManualObserver

JUMP = 100.0  # times the range so far
BINS = 2048  # of a histogram that keeps its bins' width when its range grows
EARLIER = "earlier batches"  # where gains are measured
NAMED = {
    "average the batches' ranges": "moving_average",
    "keep 99.9 % of the values": "percentile:keep=99.9",
}
BAD = {HIGH: 10.0, MEDIUM: 20.0, LOW: 30.0}  # dB left to the batches before


@rule(
    "RANGE-JUMP",
    title="A batch widens the range",
    fires="a batch's largest magnitude is over 100 times that of all before it",
    rated="the SQNR that is left to the batches before: below 10, 20, 30 dB",
    reports=("pytorch/pytorch#123309", "pytorch/pytorch#29768"),
)
def range_jump(case: Case) -> Finding | None:
    """The batch, and what is left of those before it."""
    if len(case.values.batches) < 2:
        return None
    amax = np.array([float(state.amax[0]) for state in case.seen[BATCHES]])
    reach = np.maximum.accumulate(amax)[:-1]
    ratio = np.where(reach > 0, amax[1:] / np.where(reach > 0, reach, 1.0), 0.0)
    at = int(ratio.argmax()) + 1
    if ratio[at - 1] <= JUMP:
        return None
    if case.row.quantizer is None:
        raise QvizError(case.row.refused or "There is not one step for the whole tensor.")
    before = case.values.batches[:at]
    left = sqnr_of(before, case.row.quantizer)
    evidence = {"batch": at, "ratio": float(ratio[at - 1]), "threshold": JUMP}
    evidence |= {"absmax": floats(amax), "sqnr_before": left}
    evidence["bins_at_old_width"] = BINS * float(ratio[at - 1])
    found = gains(case, _ways(case, at, amax), before, EARLIER)
    level = next((level for level, most in BAD.items() if left is not None and left < most), NOTE)
    message = (
        f"Batch {at} widens the range {times(ratio[at - 1])} times (over {JUMP:g}): the batches "
        f"before it are left with {db(left)}."
    )
    return Finding(level, message, evidence, found.fixes, found.tried)


def _ways(case: Case, at: int, amax: np.ndarray) -> Iterator[tuple[str, Setting]]:
    """Ranges that one batch does not set; the first is that of the median batch."""
    usual = int(np.argsort(amax, kind="stable")[(len(amax) - 1) // 2])
    lo, hi = (float(getattr(case.seen[BATCHES][usual], end)[0]) for end in ("lo", "hi"))
    if lo < hi and usual != at:
        words = f"take the range of the median batch; batch {at} is then clipped"
        yield words, changed(case, observer=ManualObserver(lo, hi))
    for words, name in NAMED.items():
        yield f"{words}; batch {at} is then clipped", changed(case, observer=name)
