"""A range that is known without looking: softmax, or values held at a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from qviz import xp
from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies, whole
from qviz.doctor.settings import changed
from qviz.doctor.ways import by_hand
from qviz.doctor.words import number, percent
from qviz.observers.manual import ManualObserver
from qviz.observers.typed import TypedObserver
from qviz.quantizers.base import Quantizer

NEAR = 1e-3  # that a row's sum may be off 1
ROWS, ENTRIES = 2, 2  # that make it no chance
PILED = 0.01  # share of the values exactly at a bound
BOUNDS = (1.0, 6.0)  # of hard-sigmoid and of ReLU6
LOOKED = 2**18  # elements whose rows are added up at a time, and to recognise them
COUNTED = 2**22  # elements whose rows are added up as they come back
ONE = 1.001  # step that the end may be off, which rounds
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
    if hi <= 1 and softmax_rows(case) is not None:
        return _softmax(case)
    share = None if case.given is not None else _piled(case, hi)
    return None if share is None else _held(case, hi, share)


def softmax_rows(case: Case) -> np.ndarray | None:
    """Rows along the last axis, (rows, entries), of values in [0, 1] that sum to 1; else None."""
    first, facts = case.values.batches[0], case.facts
    if facts.lo.min() < 0 or facts.hi.max() > 1:
        return None
    if min(len(batch.shape) for batch in case.values.batches) < 2 or first.shape[-1] < ENTRIES:
        return None
    tall = max(ROWS, LOOKED // first.shape[-1])
    flat = xp.host(xp.working(first.reshape(-1, first.shape[-1])[:tall])).astype(np.float64)
    sums = flat.sum(axis=1)
    return flat if len(sums) >= ROWS and bool((np.abs(sums - 1) <= NEAR).all()) else None


def _rows(case: Case) -> Iterator[np.ndarray]:
    """Rows of all batches, some at a time, until 2^22 elements were read."""
    left = COUNTED
    for batch in case.values.batches:
        if left <= 0 or not xp.size(batch):
            continue
        flat = batch.reshape(-1, batch.shape[-1])[: max(1, left // batch.shape[-1])]
        tall = max(1, LOOKED // batch.shape[-1])
        for at in range(0, len(flat), tall):
            yield xp.host(xp.working(flat[at : at + tall])).astype(np.float64)
        left -= xp.size(batch)


def _off(made: Quantizer, rows: np.ndarray) -> float:
    """How far a row's sum is off 1 when it comes back; rows of padding do not count."""
    rows = rows[np.abs(rows.sum(axis=1) - 1) <= NEAR]
    back = made.fake_quantize(rows.reshape(1, -1)).reshape(rows.shape)
    return float(np.abs(back.sum(axis=1) - 1).max(initial=0.0))


def _piled(case: Case, hi: float) -> float | None:
    """Share of the values exactly at the upper bound, where that is one of a known function."""
    cells = case.cells
    if hi not in BOUNDS or len(np.unique(cells.lo[0][cells.count[0] > 0])) < DISTINCT:
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


def _in_use(case: Case, hi: float) -> bool:
    """Whether the known range was set, and nothing else, but for one step at its end."""
    covered = case.row.covered
    if not by_hand(case) or covered is None:
        return False
    step = float(case.grid.step[0])
    return bool(covered.lo[0] == 0 and abs(float(covered.hi[0]) - hi) <= ONE * step)


def _softmax(case: Case) -> Finding:
    made, sampled = case.grid, case.values.size > COUNTED
    worst = max(_off(made, rows) for rows in _rows(case))
    lost = case.metric("zeroed_share")
    evidence: dict[str, Any] = {"known": (0, 1), "row_sum_error": worst, "zeroed_share": lost}
    evidence |= {"threshold": NEAR, "half_unused": case.spec.symmetric, "sampled": sampled}
    where = " in a sample" if sampled else ""
    found = remedies(case, _fixed(case, 1.0), whole(case))
    if _in_use(case, 1.0):
        evidence["in_use"] = True
        message = (
            f"Rows sum to 1 within {NEAR:g}, and the range is [0, 1], as it should be: even so "
            f"{percent(lost or 0)} of the values become 0 and the sum of a row is off by up to "
            f"{number(worst)}{where}; SQNR hides both."
        )
        return Finding(NOTE, message, evidence, found.fixes, found.tried, expected=True)
    half = "half of a symmetric grid is unused, " if case.spec.symmetric else ""
    message = (
        f"Rows sum to 1 within {NEAR:g}, so the range is [0, 1]: {half}{percent(lost or 0)} of the "
        f"values become 0 and the sum of a row is off by up to {number(worst)}{where}; "
        "SQNR hides both."
    )
    told = found.finding(message, evidence)
    return told if case.given is None else replace(told, severity=NOTE)


def _held(case: Case, hi: float, share: float) -> Finding:
    evidence = {"known": (0, hi), "share_at_bound": share, "threshold": PILED}
    found = remedies(case, _fixed(case, hi), whole(case))
    if _in_use(case, hi):
        evidence["in_use"] = True
        message = (
            f"{percent(share)} of the values are exactly {hi:g} (over {percent(PILED)}): they are "
            f"held there, and the range is [0, {hi:g}], as it should be."
        )
        return Finding(NOTE, message, evidence, found.fixes, found.tried, expected=True)
    message = (
        f"{percent(share)} of the values are exactly {hi:g} (over {percent(PILED)}): they are held "
        f"there, so the range is [0, {hi:g}] and needs no calibration."
    )
    return found.finding(message, evidence)
