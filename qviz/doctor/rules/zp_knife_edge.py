"""A zero point that is a matter of rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qviz.doctor.base import LOW, NOTE, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.words import interval
from qviz.errors import QvizError
from qviz.quantizers.affine import AffineQuantizer
from qviz.rosetta.answers import answer
from qviz.rosetta.ruleset import rules

ULPS = 4  # float32 steps of the raw zero point's own size
ONE_SIDE = "use one zero point for encoding and decoding"


@rule(
    "ZP-KNIFE-EDGE",
    title="The zero point is a tie",
    fires="the raw zero point lies within 4 float32 steps of its own size of a half",
    rated="low where registered rules disagree on this range, else a note",
    reports=(
        *("tensorflow/model-optimization#858", "tensorflow/tensorflow#117962"),
        "microsoft/onnxruntime#25045",
    ),
)
def zp_knife_edge(case: Case) -> Finding | None:
    """Both candidates, their grids, and which rule takes which."""
    asked = case.row.range
    if asked is None or case.spec.symmetric or not case.per_tensor:
        return None
    low, high = case.spec.ends
    lo, hi = min(float(asked.lo[0]), 0.0), max(float(asked.hi[0]), 0.0)
    if not hi > lo:
        return None
    raw = low - lo * (high - low) / (hi - lo)
    off = abs(raw - (math.floor(raw) + 0.5))
    if not low < raw < high or off > ULPS * float(np.spacing(np.float32(abs(raw)))):
        return None
    scale, both = (hi - lo) / (high - low), (math.floor(raw), math.floor(raw) + 1)
    grids = [((low - zero) * scale, (high - zero) * scale) for zero in both]
    said = _answers(lo, hi, case)
    evidence: dict[str, Any] = {"raw_zero_point": raw, "candidates": both, "grids": grids}
    evidence |= {"rules": said, "precision": _precision(case), "ulps": ULPS}
    apart = len(set(said.values())) > 1
    words = "registered rules disagree" if apart else "registered rules agree"
    message = (
        f"The raw zero point is {raw:.6f}, a tie within {ULPS} float32 steps: {both[0]} covers "
        f"{interval(*grids[0])}, {both[1]} covers {interval(*grids[1])}, and {words}."
    )
    fixes = ranked(_mixed(case, scale, both)) if apart else ranked(())
    return Finding(LOW if apart else NOTE, message, evidence, fixes.fixes)


def _answers(lo: float, hi: float, case: Case) -> dict[str, int]:
    """Zero points of the frameworks' rules, counted from the case's smallest code."""
    low, high = case.spec.ends
    out = {}
    for one in rules():
        if one.kind != "framework" or one.spec.symmetric or one.spec.levels != high - low + 1:
            continue
        given = answer(one, lo, hi)
        if given.ends is not None and isinstance(given.zero_point, int):
            out[one.name] = given.zero_point - given.ends[0] + low
    return out


def _precision(case: Case) -> str:
    made = case.row.quantizer
    how = None if made is None else made.arithmetic
    return "" if how is None else how.dtype


def _mixed(case: Case, scale: float, both: tuple[int, int]) -> list[Fix]:
    """What it costs to encode with one candidate and decode with the other."""
    cells, ends = case.cells, case.spec.ends
    if not cells.exact and not len(cells.count):
        raise QvizError("There are no values.")
    x, count = (cells.lo + cells.hi) / 2, cells.count
    one, other = (AffineQuantizer(np.array([scale]), np.array([z]), *ends) for z in both)
    signal = (count * x * x).sum()
    codes = one.quantize(x)
    same, mixed = ((count * (q.dequantize(codes) - x) ** 2).sum() for q in (one, other))
    gain = sqnr(signal, same) - sqnr(signal, mixed)
    return [Fix(ONE_SIDE, gain)] if math.isfinite(gain) else []
