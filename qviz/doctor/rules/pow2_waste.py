"""A power-of-two step that leaves codes unused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qviz import xp
from qviz.doctor.base import NOTE, TENSOR, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import measured, remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import counted, number, percent
from qviz.observers.typed import TypedObserver

USED = 0.6  # of the codes on the fuller side


@rule(
    "POW2-WASTE",
    title="A power-of-two step wastes codes",
    fires="the scale is a power of two and the largest code in use is below 60 % of the limit",
    rated="the gain of half the step, or of a free one; a note where only the last code is short",
    reports=("mathmanu/caffe-jacinto-models#13",),
)
def pow2_waste(case: Case) -> Finding | None:
    """Share of the codes in use, and the next smaller power of two."""
    grid, (lo, hi) = case.grid, case.ends
    step, zero = float(grid.step[0]), int(grid.zero_point[0])
    if np.frexp(step)[0] != 0.5 or (step == 1 and _one_by_nature(case)):
        return None
    low, high = grid.ends
    codes = np.clip(np.rint(np.array([lo, hi]) / step), low - zero, high - zero)
    largest, limit = int(np.abs(codes).max()), max(high - zero, zero - low)
    if largest >= USED * limit or largest == 0:
        return None
    half = TypedObserver(step / 2, zero, low, high)
    named = {
        "half": (f"halve the step to {number(step / 2)}", changed(case, observer=half)),
        "free": ("use a free step", changed(case, observer=case.observer, mode="affine")),
    }
    found = remedies(case, named.values())
    lost = _beyond(case, step / 2 * (low - zero - 0.5), step / 2 * (high - zero + 0.5))
    share, within = largest / limit, max(-lo, hi) <= step / 2 * limit
    fits = ", and is not taken only because this mode keeps a code free" if within else ""
    evidence = {"scale": step, "largest_code": largest, "limit": limit, "share": share}
    evidence |= {"threshold": USED, "clipped_by_half": lost, "sqnr": case.metric("sqnr")}
    evidence |= {f"sqnr_{name}": measured(case, way, TENSOR) for name, (_, way) in named.items()}
    message = (
        f"The step {number(step)} is a power of two and the largest code is {largest} of {limit}, "
        f"{percent(share)} (below {percent(USED)}); half the step would clip "
        f"{counted(lost, 'value')}{fits}."
    )
    made = found.finding(message, evidence)
    return replace(made, severity=NOTE) if fits else made


def _one_by_nature(case: Case) -> bool:
    """Whether a step of 1 is no choice: that of whole numbers, or one that was never set."""
    if case.given is not None:
        return True
    parts = (xp.host(xp.working(batch)) for batch in case.values.batches)
    return all(bool((np.rint(x) == x)[np.isfinite(x)].all()) for x in parts)


def _beyond(case: Case, lo: float, hi: float) -> int:
    cells = case.cells
    return int(cells.count[0][(cells.hi[0] < lo) | (cells.lo[0] > hi)].sum())
