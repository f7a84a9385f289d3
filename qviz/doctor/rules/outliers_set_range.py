"""A few values that set the range of all."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import LEVELS, MEDIUM, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.rules.known_range import softmax_rows
from qviz.doctor.ways import observers, wider
from qviz.doctor.words import number, percent, times

FAR = 5.0  # largest magnitude in range over that below which 99.9 % lie
SHARE = 0.999
BINS, DEEPEST = 2, 14  # per power of ten, and powers of ten that are told apart
GONE = 0.5  # share of the values that become 0 although they are not


@rule(
    "OUTLIERS-SET-RANGE",
    title="A few values set the range",
    fires="the range reaches over 5 times as far as 99.9 % of the values; no channel explains it, "
    "and it is no softmax",
    rated="the gain of cutting; at least medium where over half of the values become 0",
    reports=(
        *("SonySemiconductorSolutions/mct-model-optimization#1337", "Samsung/ONE#3047"),
        "huggingface/transformers#15676",
    ),
)
def outliers_set_range(case: Case) -> Finding | None:
    """How far the largest values are out, and what is left to the others."""
    if not case.per_tensor or case.row.covered is None or _by_channel(case):
        return None
    usual = _magnitude(case, SHARE)
    covered = case.row.covered
    reach = min(float(max(-covered.lo[0], covered.hi[0])), float(case.facts.amax[0]))
    if usual <= 0 or reach <= FAR * usual or softmax_rows(case) is not None:
        return None
    gone = case.metric("zeroed_share") or 0.0
    evidence = {"largest": reach, "usual": usual, "ratio": reach / usual, "threshold": FAR}
    evidence |= {"codes_used": case.metric("codes_used"), "zeroed_share": gone}
    evidence["code_entropy"] = case.metric("code_entropy")
    evidence |= _by_power(case)
    found = remedies(case, [*observers(case), *wider(case)])
    cuts = [fix for fix in found.fixes if "bits" not in fix.how]
    level = found.severity if cuts else NOTE
    level = max(level, MEDIUM, key=LEVELS.index) if gone > GONE else level
    held = "" if cuts else " The few large ones hold the energy: cutting them does not pay."
    message = (
        f"The range reaches to {number(reach)}, {times(reach / usual)} times as far as 99.9 % of "
        f"the values (over {FAR:g}): {percent(gone)} of all values become 0.{held}"
    )
    return Finding(level, message, evidence, found.fixes, found.tried)


def _by_power(case: Case) -> dict[str, list[float]]:
    """How many magnitudes lie in each half power of ten, the least ones together."""
    cells = case.cells
    size = np.maximum(np.abs(cells.lo[0]), np.abs(cells.hi[0]))
    there = (size > 0) & (cells.count[0] > 0)
    at = np.floor(BINS * np.log10(size[there]))
    last = float(at.max())
    first = max(float(at.min()), last - BINS * DEEPEST)
    counts = np.bincount((np.maximum(at, first) - first).astype(np.int64), cells.count[0][there])
    edges = (first + np.arange(len(counts) + 1)) / BINS
    return {"powers": edges.tolist(), "values_per_power": counts.tolist()}


def _by_channel(case: Case) -> bool:
    there = case.channels
    return there is not None and there.telling and bool(there.outliers.any())


def _magnitude(case: Case, share: float) -> float:
    """The magnitude below which that share of the values lies."""
    cells = case.cells
    size = np.maximum(np.abs(cells.lo[0]), np.abs(cells.hi[0]))
    order = np.argsort(size)
    below = np.cumsum(cells.count[0][order])
    at = int(np.searchsorted(below, share * below[-1])) if len(below) else 0
    return float(size[order][min(at, len(order) - 1)]) if len(order) else 0.0
