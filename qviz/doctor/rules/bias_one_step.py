"""Encoder and decoder that use different zero points."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.base import Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.words import decibels as db
from qviz.doctor.words import number
from qviz.errors import QvizError
from qviz.quantizers.affine import AffineQuantizer

NEAR, FAR = 0.75, 1.25  # steps
CLIPPED = 0.01  # share of the values from which clipping may be the cause


@rule(
    "BIAS-ONE-STEP",
    title="All is off by one step",
    fires="the mean error lies between 0.75 and 1.25 steps, and under 1 % are clipped",
    rated="the gain of one zero point for both sides",
    reports=("microsoft/onnxruntime#25823",),
)
def bias_one_step(case: Case) -> Finding | None:
    """The mean error in steps: of stored codes against values, else of the row."""
    if case.codes is not None and case.given is not None:
        return _of_codes(case)
    steps, clipped = case.metric("bias_steps"), case.metric("clipped_share")
    if steps is None or not NEAR <= abs(steps) <= FAR or (clipped or 0.0) >= CLIPPED:
        return None
    grid, (lo, hi) = case.grid, (case.cells.lo, case.cells.hi)
    return _finding(case, steps, (lo + hi) / 2, case.cells.count, grid.quantize((lo + hi) / 2))


def _of_codes(case: Case) -> Finding | None:
    given, codes = case.given, case.codes
    x = xp.host(xp.working(case.values.batches[0])).astype(np.float64)
    if given is None or codes is None or not given.sound or given.scale.size > 1:
        return None
    if codes.shape != x.shape:
        raise QvizError(f"Codes of shape {codes.shape} meet values of shape {x.shape}.")
    inside = np.isfinite(x) & (codes > given.quant_min) & (codes < given.quant_max)
    q, x = codes[inside].astype(np.float64)[None], x[inside][None]
    if not x.size or x.size < (1 - CLIPPED) * codes.size:
        return None
    scale = float(given.scale[0])
    steps = float(((q - given.zero_point[0]) - x / scale).mean())
    if not NEAR <= abs(steps) <= FAR:
        return None
    return _finding(case, steps, x, np.ones(x.shape), q)


def _finding(
    case: Case, steps: float, x: np.ndarray, count: np.ndarray, codes: np.ndarray
) -> Finding:
    grid = case.grid
    zero, scale = int(grid.zero_point[0]), float(grid.step[0])
    other = zero + round(steps)
    signal = (count * x * x).sum()
    now, then = (
        sqnr(signal, (count * (_back(grid, codes, z) - x) ** 2).sum()) for z in (zero, other)
    )
    action = f"decode with zero point {other}, with which it was encoded"
    evidence = {"mean_error_steps": steps, "mean_error": steps * scale, "zero_point": zero}
    evidence |= {"fitting_zero_point": other, "sqnr": now, "sqnr_fitting": then}
    evidence["threshold"] = (NEAR, FAR)
    message = (
        f"The mean error is {number(steps)} steps (0.75 to 1.25 means one): encoder and decoder "
        f"use different zero points, {other} and {zero}, which costs {db(then - now)}."
    )
    return ranked([Fix(action, then - now)]).finding(message, evidence)


def _back(grid: AffineQuantizer, codes: np.ndarray, zero: int) -> np.ndarray:
    return (codes - zero) * float(grid.step[0])
