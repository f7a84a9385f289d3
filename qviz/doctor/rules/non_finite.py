"""NaN, infinities, and masks that are as good as infinite."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qviz.doctor.base import HIGH, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import widened, without_masks
from qviz.doctor.gains import remedies
from qviz.doctor.masks import APART, HUGE, Parts, data, left_out, reach
from qviz.doctor.masks import masked as masked
from qviz.doctor.ways import observers
from qviz.doctor.words import counted, interval, number
from qviz.stats.locate import first_non_finite
from qviz.xp import size


@rule(
    "NON-FINITE",
    title="Values that are not finite, and masks",
    fires="any NaN or infinity; magnitudes over 1e30; over 0.1 % of the values 100 times the rest, "
    "which is not all 0: one constant, or beyond 9000, that neither fills whole channels or rows "
    "nor is most of the values (a large negative one may); never of a softmax",
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
    return _beside(case, Finding(HIGH, message, evidence))


def _beside(case: Case, found: Finding) -> Finding:
    """The finding with its ways out; masks among the finite values are told as well."""
    made = _masks(case) if case.facts.finite[0] and data(case) is not None else None
    if made is None:
        asked = case.row.refused is not None
        return replace(found, fixes=remedies(case, observers(case, "minmax")).fixes * asked)
    said, evidence = f"{found.message} Beside: {made.message}", {**made.evidence, **found.evidence}
    return replace(made, severity=HIGH, message=said, evidence=evidence, expected=False)


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
    usual = data(case)
    if usual is None:
        return _out_of_scale(case)
    far, near = _largest(case), reach(case, usual)
    masks = int(case.cells.count[0][~usual].sum())
    evidence: dict[str, Any] = {"masks": masks, "largest": far, "threshold": HUGE, "apart": APART}
    evidence |= {"others_min": near[0], "others_max": near[1]}
    who = f"{counted(masks, 'value')} reach{'es' * (masks == 1)} {number(far)}"
    who, lie = f"{who}, over {APART:g} times the others", f"lie in {interval(*near)}"
    what, them = ("a mask", "it") if masks == 1 else ("masks", "them")
    if left_out(case):
        kept = f"{who}: {what}, which the range leaves out as it should; the others {lie}."
        return Finding(NOTE, kept, evidence | {"left_out": True}, expected=True)
    message = f"{who}, which {lie}: {what}, not data; take the range without {them}."
    return widened(case, without_masks(case)).finding(message, evidence)


def _out_of_scale(case: Case) -> Finding | None:
    """Values beyond 1e30 with nothing far below them, or with nothing else but 0."""
    parts = Parts.of(case)
    if parts.largest <= HUGE:
        return None
    evidence: dict[str, Any] = {"nan": 0, "infinite": 0, "largest": parts.largest}
    evidence |= {"threshold": HUGE, "naive_range": interval(*case.ends)}
    who = f"The largest magnitude is {number(parts.largest)} (over {number(HUGE)})"
    if parts.together and parts.others.any() and parts.reach == 0:
        alone = f"{who} and all others are 0: a mask by itself, which is not to be quantized."
        return Finding(NOTE, alone, evidence)
    all_of_it = f"{who} and no data lies far below it: the whole tensor is out of scale"
    return Finding(HIGH, f"{all_of_it}; scale it down.", evidence)


def _largest(case: Case) -> float:
    lo, hi = case.ends
    return max(-lo, hi)
