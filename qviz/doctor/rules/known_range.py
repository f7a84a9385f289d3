"""A range that is known without looking: softmax, or values held at a bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qviz import xp
from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import number, percent
from qviz.observers.manual import ManualObserver
from qviz.observers.typed import TypedObserver

NEAR = 1e-3  # that a row's sum may be off 1
ROWS, ENTRIES = 2, 2  # that make it no chance
PILED = 0.01  # share of the values exactly at a bound
BOUNDS = (1.0, 6.0)  # of hard-sigmoid and of ReLU6
LOOKED = 2**18  # elements whose rows are added up
DISTINCT = 32  # values from which it is no mask and no code


@rule(
    "KNOWN-RANGE",
    title="The range is known",
    fires="values in [0, 1] whose rows sum to 1 within 0.001, or over 1 % exactly at 1 or 6",
    rated="the gain of the known range with unsigned codes; a note under a scale that was given",
    reports=(
        *("microsoft/onnxruntime#14626", "microsoft/onnxruntime#14640"),
        "microsoft/onnxruntime#18589",
    ),
)
def known_range(case: Case) -> Finding | None:
    """The range, what of the codes it can use, and what SQNR hides: zeros and row sums."""
    lo, hi = case.ends
    if lo < 0 or not case.per_tensor:
        return None
    rows = softmax_rows(case) if hi <= 1 else None
    if rows is not None:
        return _softmax(case, rows)
    share = None if case.given is not None else _piled(case, hi)
    return None if share is None else _held(case, hi, share)


def softmax_rows(case: Case) -> np.ndarray | None:
    """Rows along the last axis, (rows, entries), where all sum to 1; else None."""
    first = case.values.batches[0]
    if len(first.shape) < 2 or first.shape[-1] < ENTRIES:
        return None
    tall = max(ROWS, LOOKED // first.shape[-1])
    flat = xp.host(xp.working(first.reshape(-1, first.shape[-1])[:tall])).astype(np.float64)
    sums = flat.sum(axis=1)
    return flat if len(sums) >= ROWS and bool((np.abs(sums - 1) <= NEAR).all()) else None


def _piled(case: Case, hi: float) -> float | None:
    """Share of the values exactly at the upper bound, where that is one of a known function."""
    cells = case.cells
    if hi not in BOUNDS or int((cells.count[0] > 0).sum()) < DISTINCT:
        return None
    at = (cells.lo[0] == hi) | ((cells.lo[0] <= hi) & (cells.hi[0] >= hi))
    share = float(cells.count[0][at].sum() / max(int(cells.total[0]), 1))
    return share if share > PILED else None


def _fixed(case: Case, hi: float) -> list[tuple[str, Any]]:
    bits = case.spec.bits
    unsigned: dict[str, Any] = {"signed": False, "symmetric": False, "narrow_range": False}
    ways = [
        (
            f"fix the range to [0, {hi:g}] with unsigned codes",
            changed(case, observer=ManualObserver(0.0, hi), **unsigned),
        )
    ]
    if hi == 1:
        exact = TypedObserver(2.0**-bits, 0, 0, 2**bits - 1)
        words = f"fix the step to 1/{2**bits}, zero point 0"
        ways.append((words, changed(case, observer=exact, **unsigned)))
    return ways


def _softmax(case: Case, rows: np.ndarray) -> Finding:
    made = case.grid
    back = made.fake_quantize(rows.reshape(1, -1)).reshape(rows.shape)
    worst = float(np.abs(back.sum(axis=1) - 1).max())
    lost = case.metric("zeroed_share")
    evidence: dict[str, Any] = {"known": (0, 1), "row_sum_error": worst, "zeroed_share": lost}
    evidence |= {"threshold": NEAR, "half_unused": case.spec.symmetric}
    found = remedies(case, _fixed(case, 1.0))
    half = "half of a symmetric grid is unused, " if case.spec.symmetric else ""
    message = (
        f"Rows sum to 1 within {NEAR:g}, so the range is [0, 1]: {half}{percent(lost or 0)} of the "
        f"values become 0 and the sum of a row is off by up to {number(worst)}; SQNR hides both."
    )
    made = found.finding(message, evidence)
    return made if case.given is None else replace(made, severity=NOTE)


def _held(case: Case, hi: float, share: float) -> Finding:
    evidence = {"known": (0, hi), "share_at_bound": share, "threshold": PILED}
    found = remedies(case, _fixed(case, hi))
    message = (
        f"{percent(share)} of the values are exactly {hi:g} (over {percent(PILED)}): they are held "
        f"there, so the range is [0, {hi:g}] and needs no calibration."
    )
    return found.finding(message, evidence)
