"""NaN, infinities, and masks that are as good as infinite."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.doctor.base import HIGH, NOTE, OTHERS, OUTPUT, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies, yardstick
from qviz.doctor.remedies import Remedies, ranked, sqnr
from qviz.doctor.returned import returned
from qviz.doctor.settings import Setting, changed, how, present
from qviz.doctor.ways import observers
from qviz.doctor.words import interval, number
from qviz.observers.manual import ManualObserver
from qviz.pipeline.judging import settle
from qviz.stats.locate import first_non_finite
from qviz.xp import size

HUGE = 1e30  # beyond it a value is a mask, not data
APART = 100.0  # times all others, that masks are away
TOGETHER = 0.9  # of the largest magnitude: masks lie above
FEW = 3  # values that may be there by chance
NEAR = 2.0  # times the reach of the others, that a range without masks covers at most
OFTEN = 1e-3  # share of the values from which far ones are masks, not outliers


@rule(
    "NON-FINITE",
    title="Values that are not finite, and masks",
    fires="any NaN or infinity; magnitudes over 1e30; over 0.1 % of the values 100 times the rest",
    rated="high; masks by the gain of a range without them",
    reports=(
        *("NVIDIA/TensorRT#2628", "NVIDIA/TensorRT#2126", "NVIDIA/Model-Optimizer#729"),
        *("tensorflow/tensorflow#62604", "pytorch/pytorch#100051", "pytorch/pytorch#113405"),
    ),
)
def non_finite(case: Case) -> Finding | None:
    """NaN or infinities in the data, with and without which the range is told."""
    facts = case.facts
    nan = int(facts.nan[0])
    infinite = int(facts.plus_inf[0] + facts.minus_inf[0])
    if nan + infinite == 0:
        return _masks(case)
    evidence: dict[str, Any] = {"nan": nan, "infinite": infinite, **_place(case)}
    evidence["naive_range"] = "NaN" if nan else "infinite"
    if facts.finite[0]:
        lo, hi = case.ends
        evidence |= {"finite_min": lo, "finite_max": hi, **_scale(case)}
    lost = f"{nan:,} NaN" if nan else ""
    lost += f" and {infinite:,} infinite" if nan and infinite else ""
    lost = lost or f"{infinite:,} infinite"
    where = f"the first at flat index {evidence['index']} (batch {evidence['batch']})"
    rest = "no value is finite"
    if "finite_min" in evidence:
        rest = f"the finite ones lie in {interval(evidence['finite_min'], evidence['finite_max'])}"
    message = f"{lost} (0 allowed), {where}: a naive range is {evidence['naive_range']}, {rest}."
    fixes = () if case.row.refused is None else remedies(case, observers(case, "minmax")).fixes
    return Finding(HIGH, message, evidence, fixes)


def _scale(case: Case) -> dict[str, float]:
    """The step that the finite elements come to, where there is one."""
    step = None if case.row.refused else (case.row.qparams or {}).get("scale")
    return {} if step is None or step.size != 1 else {"finite_scale": float(step[0])}


def _place(case: Case) -> dict[str, int]:
    """Flat index of the first such element, and the batch that holds it."""
    index = first_non_finite(case.values.batches) or 0
    ends = np.cumsum([size(array) for array in case.values.batches])
    return {"index": index, "batch": int(np.searchsorted(ends, index, side="right"))}


def _masks(case: Case) -> Finding | None:
    """Values at one end that are no data: beyond 1e30, or one far value over and over."""
    if not masked(case):
        return None
    far, usual = _far(case), _usual(case)
    masks = int(case.cells.count[0][~usual].sum())
    evidence: dict[str, Any] = {"masks": masks, "largest": far, "threshold": HUGE, "apart": APART}
    if not usual.any():
        return Finding(HIGH, f"All values are beyond {number(HUGE)}: no data.", evidence)
    near = float(case.cells.lo[0][usual].min()), float(case.cells.hi[0][usual].max())
    evidence |= {"others_min": near[0], "others_max": near[1]}
    message = (
        f"{masks:,} values reach {number(far)}, over {APART:g} times the others, which lie in "
        f"{interval(*near)}: masks, not data; take the range without them."
    )
    if _left_out(case, near):
        kept = evidence | {"left_out": True}
        return Finding(NOTE, _kept_out(masks, far, near), kept, expected=True)
    return _without(case, near, usual).finding(message, evidence)


def _left_out(case: Case, near: tuple[float, float]) -> bool:
    """Whether the range that is covered now ends where the others do."""
    covered = case.row.covered
    if covered is None:
        return False
    widest = max(float(np.abs(covered.lo).max()), float(np.abs(covered.hi).max()))
    return widest <= NEAR * max(map(abs, near))


def _kept_out(masks: int, far: float, near: tuple[float, float]) -> str:
    return (
        f"{masks:,} values reach {number(far)}, over {APART:g} times the others: masks, which the "
        f"range leaves out as it should; the others lie in {interval(*near)}."
    )


def masked(case: Case) -> bool:
    """Whether the largest magnitudes are masks: what channels then differ by is no matter."""
    far, usual, size = _far(case), _usual(case), _sizes(case)
    count = case.cells.count[0]
    masks = count[~usual].sum()
    gap = not count[(size >= far / APART) & (size < TOGETHER * far)].any()
    often = gap and masks > max(FEW, OFTEN * count.sum()) and bool(usual.any())
    return far > HUGE or bool(often)


def _far(case: Case) -> float:
    lo, hi = case.ends
    return max(-lo, hi)


def _sizes(case: Case) -> np.ndarray:
    """Largest magnitude of each cell."""
    return np.maximum(np.abs(case.cells.lo[0]), np.abs(case.cells.hi[0]))


def _usual(case: Case) -> np.ndarray:
    """Cells that lie far below the largest magnitude."""
    return (_sizes(case) < _far(case) / APART) & (case.cells.count[0] > 0)


def _without(case: Case, near: tuple[float, float], usual: np.ndarray) -> Remedies:
    """The range of the others, and what it gains at the output of a model, else on them."""
    setting, words = changed(case, observer=ManualObserver(*near)), f"keep {interval(*near)}"
    if case.runs is not None and yardstick(case) == OUTPUT:
        return remedies(case, [(words, setting)], OUTPUT)
    if case.per_tensor:
        then, before = _of_cells(case, setting, usual)
    else:
        far = max(map(abs, near))
        then, before = (_of_values(case, one, far) for one in (setting, present(case)))
    return ranked([Fix(words, then - before, how(case, setting), OTHERS)])


def _of_cells(case: Case, setting: Setting, usual: np.ndarray) -> tuple[float, float]:
    """SQNR of the others, then and now, as their cells say."""
    x, count = (case.cells.lo[0] + case.cells.hi[0])[None, usual] / 2, case.cells.count[0][usual]
    made = settle(setting.observer, case.seen, setting.target).quantizer
    pair = (made, case.row.quantizer)
    then, now = (0.0 if q is None else _sqnr(x, q.fake_quantize(x), count) for q in pair)
    return then, now


def _of_values(case: Case, setting: Setting, far: float) -> float:
    """SQNR of the values up to ``far`` under several steps, one by one."""
    x = np.concatenate([xp.host(xp.working(b)).reshape(-1) for b in case.values.batches])
    others = np.abs(x) <= far
    return _sqnr(x[others], returned(case, setting)[others], 1.0)


def _sqnr(x: np.ndarray, back: np.ndarray, count: np.ndarray | float) -> float:
    x, y = x.astype(np.float64), np.asarray(back, np.float64)
    return sqnr((count * x * x).sum(), (count * (y - x) ** 2).sum())
