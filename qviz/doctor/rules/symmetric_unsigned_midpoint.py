"""Symmetric unsigned codes whose middle is not half of all codes."""

from __future__ import annotations

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import counted, decibels


@rule(
    "SYMMETRIC-UNSIGNED-MIDPOINT",
    title="The middle of unsigned codes is off",
    fires="symmetric unsigned codes with a zero point other than half of all codes of that width",
    rated="the gain of all codes, 0 to 2^bits - 1",
    reports=("microsoft/onnxruntime#25823", "neuralmagic/sparseml#1128"),
)
def symmetric_unsigned_midpoint(case: Case) -> Finding | None:
    """The zero point, and that of the full codes."""
    grid, spec = case.grid, case.spec
    low, high = grid.ends
    middle, zero = 2 ** (spec.bits - 1), int(grid.zero_point[0])
    if not spec.symmetric or low != 0 or zero == middle or zero in grid.ends:
        return None
    full = {"quant_min": None, "quant_max": None, "signed": False, "narrow_range": False}
    plain = changed(case, observer=case.observer, **full, reduce_range=False)
    found = remedies(case, [(f"use all codes, 0 to {2 * middle - 1}", plain)])
    evidence = {"zero_point": zero, "middle": middle, "codes": (low, high), "levels": high + 1}
    fine = found.severity == NOTE
    costs = "no loss by itself, but" if fine else f"that costs {decibels(found.gain)}, and"
    message = (
        f"Symmetric codes {low} to {high} put 0 at {zero}, not at {middle} (half of {2 * middle}): "
        f"{costs} a decoder that expects {middle} shifts everything by {_steps(middle - zero)}."
    )
    return found.finding(message, evidence)


def _steps(count: int) -> str:
    return "a step" if count == 1 else counted(count, "step")
