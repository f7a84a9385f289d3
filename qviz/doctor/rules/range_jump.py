"""One batch that is far wider than all before it."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.base import HIGH, LOW, MEDIUM, NOTE, Finding, rule
from qviz.doctor.case import BATCHES, Case
from qviz.doctor.gains import remedies
from qviz.doctor.remedies import sqnr
from qviz.doctor.words import decibels as db
from qviz.doctor.words import floats, number
from qviz.errors import QvizError

JUMP = 100.0  # times the range so far
BINS = 2048  # of a histogram that keeps its bins' width when its range grows
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
    before = np.maximum.accumulate(amax)[:-1]
    ratio = np.where(before > 0, amax[1:] / np.where(before > 0, before, 1.0), 0.0)
    at = int(ratio.argmax()) + 1
    if ratio[at - 1] <= JUMP:
        return None
    left = _left(case, at)
    evidence = {"batch": at, "ratio": float(ratio[at - 1]), "threshold": JUMP}
    evidence |= {"absmax": floats(amax), "sqnr_before": left}
    evidence["bins_at_old_width"] = BINS * float(ratio[at - 1])
    found = remedies(case, ())
    level = next((level for level, most in BAD.items() if left is not None and left < most), NOTE)
    message = (
        f"Batch {at} widens the range {number(ratio[at - 1])} times (over {JUMP:g}): the batches "
        f"before it are left with {db(left)}."
    )
    return Finding(level, message, evidence, found.fixes)


def _left(case: Case, at: int) -> float | None:
    """SQNR of the batches before, under the steps of all."""
    made = case.row.quantizer
    if made is None:
        raise QvizError(case.row.refused or "There is not one step for the whole tensor.")
    xx = ee = 0.0
    for batch in case.values.batches[:at]:
        x = xp.host(xp.working(batch.reshape(1, -1)[:, : 2**20]))
        x = np.where(np.isfinite(x), x, 0)
        e = xp.host(made.fake_quantize(x)).astype(np.float64) - x
        xx, ee = xx + float((x.astype(np.float64) ** 2).sum()), ee + float((e * e).sum())
    left = sqnr(xx, ee)
    return None if np.isnan(left) else left
