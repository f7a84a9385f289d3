"""A zero point that is a matter of rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qviz.doctor.base import LOW, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.remedies import WORTH, sqnr
from qviz.doctor.words import decibels, interval
from qviz.errors import QvizError
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.steps import worked
from qviz.rosetta.answers import answer
from qviz.rosetta.ruleset import rules

ULPS = 4  # float32 steps of the raw zero point's own size
Pair = tuple[int, int]


@rule(
    "ZP-KNIFE-EDGE",
    title="The zero point is a tie",
    fires="the raw zero point lies within 4 float32 steps of its own size of a half",
    rated="low where registered rules that round a zero point disagree on this range and mixing "
    "them costs 0.05 dB or more, else a note",
    reports=(
        *("tensorflow/model-optimization#858", "tensorflow/tensorflow#117962"),
        "microsoft/onnxruntime#25045",
    ),
)
def zp_knife_edge(case: Case) -> Finding | None:
    """Both candidates, their grids, which rule takes which, and what mixing them would cost."""
    ends = _range(case)
    raw = None if ends is None else _raw(*ends, case.spec.ends)
    if ends is None or raw is None:
        return None
    (lo, hi), (low, high) = ends, case.spec.ends
    scale, both = (hi - lo) / (high - low), (math.floor(raw), math.floor(raw) + 1)
    taken = _taken(case)
    if taken not in both:
        return None
    grids = [((low - zero) * scale, (high - zero) * scale) for zero in both]
    said, costs = _answers(lo, hi, case), _mixed(case, scale, both)
    evidence: dict[str, Any] = {"raw_zero_point": raw, "candidates": both, "grids": grids}
    evidence |= {"rules": said, "precision": _precision(case), "ulps": ULPS}
    evidence |= {"taken": taken, "mixing_costs_db": costs}
    apart = len(set(said.values())) > 1
    words = "registered rules disagree, " if apart else "registered rules agree, " * bool(said)
    words += f"this mode takes {taken}"
    words += "" if costs is None else f"; mixing both would cost {decibels(costs)}"
    message = (
        f"The raw zero point is {raw:.6f}, a tie within {ULPS} float32 steps: {both[0]} covers "
        f"{interval(*grids[0])}, {both[1]} covers {interval(*grids[1])}; {words}."
    )
    matters = apart and (costs is None or costs >= WORTH)
    return Finding(LOW if matters else NOTE, message, evidence)


def _range(case: Case) -> tuple[float, float] | None:
    """The range widened to hold 0; None where there is none, or none whose width is finite."""
    asked = case.row.range
    if asked is None or case.spec.symmetric or not case.per_tensor:
        return None
    lo, hi = min(float(asked.lo[0]), 0.0), max(float(asked.hi[0]), 0.0)
    return (lo, hi) if hi > lo and math.isfinite(hi - lo) else None


def _raw(lo: float, hi: float, codes: Pair) -> float | None:
    """The zero point before it is rounded, where it is a tie between two codes."""
    low, high = codes
    raw = low - lo / (hi - lo) * (high - low)
    off = abs(raw - (math.floor(raw) + 0.5))
    tie = low < raw < high and off <= ULPS * float(np.spacing(np.float32(abs(raw))))
    return raw if tie else None


def _taken(case: Case) -> int | None:
    """The zero point that this mode takes; None where it rounds none."""
    if case.row.range is None:
        return None
    made = worked(case.target.mode, case.row.range, case.spec)
    found = {step.name: step.values for step in made.steps}
    if made.quantizer is None or not (found.get("raw zero point") and found.get("zero point")):
        return None
    return int(found["zero point"][0]) - made.quantizer.ends[0] + case.spec.ends[0]


def _answers(lo: float, hi: float, case: Case) -> dict[str, int]:
    """Zero points of the frameworks' rules that round one, from the case's smallest code."""
    low, high = case.spec.ends
    out = {}
    for one in rules():
        if one.kind != "framework" or one.spec.symmetric or one.spec.levels != high - low + 1:
            continue
        given = answer(one, lo, hi)
        rounded = given.raw_zero_point is not None and isinstance(given.zero_point, int)
        if given.ends is not None and rounded:
            out[one.name] = int(given.zero_point or 0) - given.ends[0] + low
    return out


def _precision(case: Case) -> str:
    made = case.row.quantizer
    how = None if made is None else made.arithmetic
    return "" if how is None else how.dtype


def _mixed(case: Case, scale: float, both: Pair) -> float | None:
    """What it would cost in dB to encode with one candidate and to decode with the other."""
    cells, ends = case.cells, case.spec.ends
    if not cells.exact and not len(cells.count):
        raise QvizError("There are no values.")
    x, count = (cells.lo + cells.hi) / 2, cells.count
    one, other = (AffineQuantizer(np.array([scale]), np.array([z]), *ends) for z in both)
    signal = (count * x * x).sum()
    codes = one.quantize(x)
    same, mixed = ((count * (q.dequantize(codes) - x) ** 2).sum() for q in (one, other))
    costs = sqnr(signal, same) - sqnr(signal, mixed)
    return costs if math.isfinite(costs) else None
