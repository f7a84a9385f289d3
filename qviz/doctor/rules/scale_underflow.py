"""Scales that do not survive the type they are stored in."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.base import LOW, QUIET, TENSOR, Finding, Fix, milder, rule
from qviz.doctor.case import Case
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.words import counted, floats, indices, named, number, percent

OFF = 0.01  # relative error of a stored scale
LOOKED = 4096  # elements of a group on which the loss is measured


@rule(
    "SCALE-UNDERFLOW",
    title="Scales too small to be stored",
    fires="a scale becomes 0 in its storage type (float16 where none is known), or 1 % off",
    rated="the gain of float32 scales on these channels; at most low where the type is a guess",
    reports=(
        *("apple/coremltools#2853", "ROCm/aiter#4289", "ModelCloud/GPTQModel#1531"),
        "ml-explore/mlx#1028",
    ),
)
def scale_underflow(case: Case) -> Finding | None:
    """The channels, and their scales before and after storing."""
    known = "" if case.given is None else case.given.stored
    kind, scales = known or "float16", case.scales
    stored = scales.astype(kind).astype(np.float64)
    alive = (scales > 0) & np.isfinite(scales) & np.isfinite(stored)
    error = np.abs(stored - scales) / np.where(alive, scales, 1.0)
    hit = alive & (error > OFF)
    if not hit.any():
        return None
    zero, which = int((alive & (stored == 0)).sum()), indices(hit)
    worst = float(error[hit].max())
    evidence = {"channels": which, "count": int(hit.sum()), "stored": kind, "becoming_zero": zero}
    evidence |= {"scale": floats(scales[hit]), "stored_scale": floats(stored[hit])}
    evidence |= {"relative_error": worst, "threshold": OFF}
    made = ranked(_kept(case, hit, stored))
    message = _said(scales, hit, kind, worst, zero)
    level = made.severity if known else milder(made.severity, LOW)
    return Finding(level, message, evidence, made.fixes)


def _said(scales: np.ndarray, hit: np.ndarray, kind: str, worst: float, zero: int) -> str:
    """What becomes of the scales, or of the only one, in a sentence."""
    off = f"off by {'up to ' * (len(scales) > 1)}{percent(worst)} in {kind} (over {percent(OFF)})"
    least = number(float(scales[hit].min()))
    if len(scales) == 1:
        return f"The scale of {least} is {off}{' and becomes 0' if zero else ''}."
    which = f"{counted(int(hit.sum()), 'scale')} ({named(indices(hit))})"
    return f"{which} {off}, {zero:,} of them 0: the smallest is {least}."


def _kept(case: Case, hit: np.ndarray, stored: np.ndarray) -> list[Fix]:
    """What these groups gain by their own scales over the stored ones."""
    if case.stream is None:
        return []
    batch, granularity = case.values.batches[0], case.target.granularity
    if granularity.groups(tuple(batch.shape)) != len(hit):
        return []
    x = xp.host(xp.working(granularity.rows(batch)[:, :LOOKED][hit])).astype(np.float64)
    x = np.where(np.isfinite(x), x, 0)
    zero = _zero(case, hit)
    then, now = (_sqnr(x, s, zero, case.spec.ends) for s in (case.scales[hit], stored[hit]))
    one = len(hit) == 1
    words = f"keep {'the scale' if one else 'scales'} in float32"
    return [Fix(words, then - now, {}, TENSOR if one else QUIET)]


def _zero(case: Case, hit: np.ndarray) -> np.ndarray:
    known = None if case.row.qparams is None else case.row.qparams.get("zero_point")
    return np.broadcast_to(np.zeros(1) if known is None else known, hit.shape)[hit]


def _sqnr(x: np.ndarray, scale: np.ndarray, zero: np.ndarray, ends: tuple[int, int]) -> float:
    """SQNR of groups together; a scale of 0 gives 0."""
    s, z = np.where(scale > 0, scale, np.inf)[:, None], zero[:, None]
    codes = np.clip(np.rint(x / s) + z, *ends)
    y = (codes - z) * scale[:, None]
    return sqnr((x * x).sum(), ((y - x) ** 2).sum())
