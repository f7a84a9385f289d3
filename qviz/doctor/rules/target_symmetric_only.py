"""A zero point for a target that knows none."""

from __future__ import annotations

from dataclasses import replace

from qviz.doctor.base import HIGH, TENSOR, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import measured
from qviz.doctor.settings import Setting, changed, present
from qviz.doctor.words import decibels
from qviz.pipeline.judging import refusal


@rule(
    "TARGET-SYMMETRIC-ONLY",
    title="The target knows no zero point",
    fires="a symmetric-only mode or target meets a zero point other than 0, or codes that have one",
    rated="always high: such an engine refuses",
    reports=(
        *("NVIDIA/TensorRT#2774", "NVIDIA/TensorRT#4698", "NVIDIA/TensorRT#1749"),
        "onnx/tensorflow-onnx#1713",
    ),
)
def target_symmetric_only(case: Case) -> Finding | None:
    """The refusal, and what symmetric codes cost."""
    codes = replace(case.spec, signed=True, symmetric=True, narrow_range=True)
    codes = replace(codes, quant_min=None, quant_max=None)
    there = Setting(case.observer, replace(case.target, spec=codes))
    refused = case.given is None and refusal(case.used, case.target) is not None
    if refused:
        if case.spec.symmetric and case.spec.signed:
            return None
        if refusal(case.observer, there.target) is not None:
            return None  # its codes are not what it refuses
        why = "This mode takes symmetric signed codes only"
    elif case.symmetric_only and int(case.grid.zero_point[0]) != 0:
        why = f"The target knows no zero points, and this one is {int(case.grid.zero_point[0])}"
    else:
        return None
    asked = changed(case, observer=case.observer, mode="affine") if refused else present(case)
    now, then = measured(case, asked, TENSOR), measured(case, there, TENSOR)
    evidence = {"sqnr": now, "sqnr_symmetric": then, "codes": codes.ends}
    said = _costs(now, then)
    message = f"{why} (0 is needed): use {codes.ends[0]} to {codes.ends[1]}{said}."
    return Finding(HIGH, message, evidence)


def _costs(now: float | None, then: float | None) -> str:
    """What going symmetric comes to: both numbers, and their difference."""
    if now is None or then is None:
        return "" if then is None else f", which leave {decibels(then)}"
    more = f"{decibels(abs(then - now))} {'more' if then > now else 'less'}"
    return f", which turns {decibels(now)} into {decibels(then)}, {more}"
