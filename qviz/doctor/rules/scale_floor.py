"""Scales that a rule has raised to its smallest one."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import LOW, NOTE, Finding, milder, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import counted, indices, named, number

EPS = 2.0**-23  # the smallest scale of PyTorch's observers
JUST = 1e-6


@rule(
    "SCALE-FLOOR",
    title="Scales at their floor",
    fires="a scale equals 2^-23 and the range asks for less",
    rated="the gain of a rule without a floor; at most low where only some channels are there, a "
    "note where these hold only 0",
    reports=("qualcomm/aimet#4054",),
)
def scale_floor(case: Case) -> Finding | None:
    """Channels too small for the smallest scale: harmless unless a bias is large."""
    scales, asked = case.scales, case.row.range
    if asked is None or case.given is not None or len(asked.lo) != len(scales):
        return None
    low, high = case.spec.ends
    reach = np.maximum(np.abs(asked.lo), np.abs(asked.hi))
    hit = (np.abs(scales - EPS) <= JUST * EPS) & (reach < EPS * (high - low) * (1 - JUST) / 2)
    if not hit.any():
        return None
    which = indices(hit)
    evidence = {"channels": which, "count": int(hit.sum()), "floor": EPS}
    evidence["largest_magnitude"] = float(reach[hit].max())
    found = remedies(case, [("use a rule without a smallest scale", changed(case, mode="affine"))])
    where = named(which) if len(scales) > 1 else "the whole tensor"
    message = f"{counted(int(hit.sum()), 'scale')} at the floor of 2^-23 ({where})"
    if not reach[hit].any():
        said = f"{message}: nothing but 0 is there, and nothing is lost."
        return Finding(NOTE, said, evidence, expected=True)
    message = (
        f"{message}: magnitudes up to {number(float(reach[hit].max()))} ask for less, so few codes "
        "are left."
    )
    level = found.severity if hit.all() else milder(found.severity, LOW)
    return Finding(level, message, evidence, found.fixes, found.tried)
