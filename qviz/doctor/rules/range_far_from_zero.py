"""Data on one side of 0, which must be a level nevertheless."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qviz import xp
from qviz.doctor.base import NOTE, OUTPUT, TENSOR, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.examining import stays_wide
from qviz.doctor.gains import remedies, yardstick
from qviz.doctor.remedies import Remedies, ranked, sqnr
from qviz.doctor.settings import changed, how
from qviz.doctor.ways import wider
from qviz.doctor.words import counted, decibels, number, percent
from qviz.pipeline.comparing import compare
from qviz.spec import Role
from qviz.stats.moments import Moments
from qviz.stats.stream import Stream
from qviz.xp import Array

NARROW = 0.25  # of the widened range
UNUSED = 0.05  # of the codes, from which a gap beside 0 is worth a note
SHORT = 1024  # elements of a vector of unknown role that is taken for parameters
NORM = 1 / 16, 2.0  # and where those of a normalization lie, which start at 1 and decay
FOLDED = " and fold it into the bias"
OFF: dict[str, str] = {Role.ACTIVATION: FOLDED, Role.UNKNOWN: f"{FOLDED}, if this is an activation"}
LOST = 0.5  # share of clipped values, from which the range is not what costs codes


@rule(
    "RANGE-FAR-FROM-ZERO",
    title="A narrow range far from zero",
    fires="0 outside [min, max], and max - min below 0.25 of the range widened to hold 0; a note "
    "where over 5 % of the codes lie between 0 and the data",
    rated="the gain of taking the mean off; a note for vectors of parameters, and of unknown role "
    "for those of at most 1024 elements, or between 1/16 and 2",
    reports=(
        "pytorch/pytorch#173075",
        "pytorch/pytorch#23838",
        "Jermmy/pytorch-quantization-demo#5",
    ),
)
def range_far_from_zero(case: Case) -> Finding | None:
    """Codes are spent between 0 and the data.

    Where most values are clipped the range lies elsewhere, and 0 is not what costs codes.
    """
    lo, hi = case.ends
    if lo <= 0 <= hi or lo == hi:
        return None
    share = (hi - lo) / (max(hi, 0.0) - min(lo, 0.0))
    if share >= NARROW:
        return _widened(case, share)
    if (case.metric("clipped_share") or 0.0) > LOST:
        return None
    evidence = _evidence(case, share)
    used, trust = int(evidence["codes_used"] or 0), evidence["sqnr_centered"]
    message = (
        f"The data takes up {_share(share)} of the range (below {percent(NARROW)}), because 0 "
        f"must be a level: {counted(used, 'code')} of {case.spec.levels:,} in use"
        f"{_steps(evidence)}"
    )
    if _parameters(case):
        said = f"{message}; a vector of {counted(case.values.size, 'element')} stays wide anyway."
        return Finding(NOTE, said, evidence, expected=True)
    said = "" if trust is None else f", {decibels(trust)}"
    message = f"{message}; trust the SQNR without the mean{said}."
    found = _centred(case)
    if case.role in OFF:
        return found.finding(message, evidence)
    made = remedies(case, wider(case))  # a weight's mean is multiplied with inputs: no bias
    return replace(made.finding(message, evidence), severity=found.severity, analysis=found.fixes)


def _share(share: float) -> str:
    """Per cent, cut off to a tenth where they would be rounded up to the threshold."""
    rounded = percent(share)
    return rounded if rounded != percent(NARROW) else f"{int(1000 * share) / 10:g} %"


def _centred(case: Case) -> Remedies:
    """Without the mean: of each channel where it is known where they lie, else of all."""
    setting, there = changed(case, transform="subtracted_mean"), case.channels
    known, words = case.role == Role.ACTIVATION or case.axis is not None, OFF.get(case.role, "")
    if yardstick(case) == OUTPUT or (known and there is not None and there.telling):
        return remedies(case, [(f"take the mean of each channel off{words}", setting)])
    mean, totals = float(case.seen[Moments()].mean[0]), case.totals
    moved = [_moved(batch, mean) for batch in case.values.batches]
    stream = Stream.of(moved, case.target.granularity)
    then = compare(stream, [case.used], case.target).rows[0].totals
    if then is None:
        return Remedies()
    energy = totals.xx.sum()
    gain = sqnr(energy, then.ee.sum()) - sqnr(energy, totals.ee.sum())
    return ranked([Fix(f"take the mean off{words}", gain, how(case, setting), TENSOR)])


def _moved(batch: Array, mean: float) -> Array:
    wide = xp.working_name(batch) == "float64"
    return xp.astype(xp.working(batch), "float64" if wide else "float32") - mean


def _evidence(case: Case, share: float) -> dict[str, Any]:
    evidence: dict[str, Any] = {"share_of_range": share, "threshold": NARROW}
    evidence |= {"codes_used": case.metric("codes_used"), "codes": case.spec.levels}
    evidence |= {name: case.metric(name) for name in ("sqnr", "sqnr_centered")}
    if len(case.scales) == 1:
        scale, (lo, hi) = float(case.scales[0]), case.ends
        evidence |= {"scale": scale, "span_in_steps": (hi - lo) / scale if scale > 0 else None}
    return evidence


def _steps(evidence: dict[str, Any]) -> str:
    span = evidence.get("span_in_steps")
    if span is None:
        return ""
    return f", max - min is {number(span)} steps of {number(evidence['scale'])}"


def _parameters(case: Case) -> bool:
    """Whether this is a vector of parameters, as of a normalization: its input is multiplied."""
    first, (lo, hi) = case.values.batches[0], case.ends
    long = tuple(extent for extent in first.shape if extent != 1)
    vector = len(case.values.batches) == 1 and stays_wide(long, case.role)
    if not vector or case.operand is not None:
        return False
    usual = NORM[0] <= lo and hi <= NORM[1]
    return case.role != Role.UNKNOWN or case.values.size <= SHORT or usual


def _widened(case: Case, share: float) -> Finding | None:
    """A band beside 0 that is not narrow: how many codes lie between."""
    if case.spec.symmetric or case.given is not None or not case.per_tensor:
        return None
    grid, (lo, hi) = case.grid, case.ends
    near, far = (lo, hi) if lo > 0 else (hi, lo)
    last, step = max(abs(end - int(grid.zero_point[0])) for end in grid.ends), float(grid.step[0])
    if not step > 0 or not abs(far) / step < last + 1:
        return None  # the range was cut or moved
    unused = abs(round(near / step))
    if unused < UNUSED * case.spec.levels:
        return None
    evidence = {"share_of_range": share, "unused": unused, "codes": case.spec.levels}
    evidence |= {"threshold": UNUSED, "near_end": near, "sqnr": case.metric("sqnr")}
    found = _centred(case) if case.role in OFF else Remedies()
    message = (
        f"The range is widened to hold 0: {counted(unused, 'code')} of {case.spec.levels:,} (over "
        f"{percent(UNUSED)}) lie between 0 and {number(near)} and are never used, as expected."
    )
    return Finding(NOTE, message, evidence, found.fixes, found.tried, expected=True)
