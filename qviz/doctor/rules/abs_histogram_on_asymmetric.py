"""A range made of magnitudes, on data whose sides differ."""

from __future__ import annotations

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import undone
from qviz.doctor.masks import unmasked
from qviz.doctor.rules.saturated_codes import saturated_codes
from qviz.doctor.words import interval

SIDES = 2.0  # times the other side's reach


@rule(
    "ABS-HISTOGRAM-ON-ASYMMETRIC",
    title="A range of magnitudes on lopsided data",
    fires="affine codes, a requested range of [-m, m], and one side twice as long as the other",
    rated="the gain of a signed range",
    reports=("microsoft/onnxruntime#10571", "NVIDIA/TensorRT#3922", "NVIDIA/TensorRT#2705"),
)
def abs_histogram_on_asymmetric(case: Case) -> Finding | None:
    """The mirrored range beside the data's; masks are no data."""
    asked, (lo, hi) = case.row.range, unmasked(case).ends
    if asked is None or case.spec.symmetric or not case.per_tensor:
        return None
    mirrored = float(asked.hi[0]) == -float(asked.lo[0]) != 0
    short, long = sorted((max(-lo, 0.0), max(hi, 0.0)))
    if not mirrored or long < SIDES * short:
        return None
    found = undone(case)
    if found.severity == NOTE or saturated_codes(case) is not None:
        return None
    kept = (float(asked.lo[0]), float(asked.hi[0]))
    evidence = {"range": kept, "data": (lo, hi), "threshold": SIDES}
    message = (
        f"The range {interval(*kept)} comes from magnitudes, but the data lies in "
        f"{interval(lo, hi)}, one side over {SIDES:g} times the other: codes are spent on nothing."
    )
    return found.finding(message, evidence)
