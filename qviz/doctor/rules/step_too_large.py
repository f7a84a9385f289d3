"""A step that is far too large for the data: few codes are left to it, or one."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz.doctor.base import HIGH, LOW, MEDIUM, NOTE, RULES, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import undone
from qviz.doctor.given import Given
from qviz.doctor.masks import unmasked
from qviz.doctor.remedies import Remedies
from qviz.doctor.stepping import GIVEN, WIDER, most_times, times_of_own
from qviz.doctor.words import counted, decibels, interval, number, percent, times
from qviz.errors import QvizError
from qviz.metrics.base import Totals
from qviz.quantizers.base import Quantizer

STILL = 0.8  # share of the codes that are the zero point, from which little was there to tell
NEAR = 1 / 16  # of all codes, within which the others then lie
CAUSES = ("NON-FINITE", "UNCALIBRATED", "SLOW-AVERAGE", "ZP-AT-EDGE")  # rules that say why


@rule(
    "STEP-TOO-LARGE",
    title="The step is too large for the data",
    fires=f"the step is over {GIVEN:g} times that of a range of this data where it was given, over "
    f"{WIDER:g} times else, or as wide as all of the data where only 0 is far from it; of codes "
    f"alone, over {STILL:.0%} are the zero point and none lies over a 16th of all codes from it",
    rated="the gain of a range of this data, high where all values become one code; medium for "
    "codes alone, low where all are the zero point",
    reports=("tensorflow/tensorflow#62604", "pytorch/pytorch#113405"),
)
def step_too_large(case: Case) -> Finding | None:
    """The step beside that of a range of this data, the codes in use, and what is left.

    Where even min-max has such a step, 0 is too far from the data, or a rule has a floor: other
    rules say so.
    """
    if case.stream is None and case.codes is not None:
        return None if case.given is None else _of_codes(case.codes, case.given)
    bare = unmasked(case)
    made, totals = bare.row.quantizer, bare.row.totals
    if made is None or totals is None:
        raise QvizError(bare.row.refused or "There is no quantizer.")
    if made.step is None:
        return None
    far, one = times_of_own(case), _collapses(made.step, _codes(made, totals), totals)
    finer = one and bool((made.step < far * (totals.x_max - totals.x_min)).any())
    if (far <= most_times(case) and not finer) or _explained(case):
        return None
    found = undone(case)
    if found.severity == NOTE:
        return None  # a rule's own floor, which SCALE-FLOOR tells of
    if one:
        return _one_code(bare, made.step, totals, found)
    return _few_codes(bare, (float(np.median(made.step)), far, most_times(case)), found)


def _few_codes(case: Case, step: tuple[float, float, float], found: Remedies) -> Finding:
    """The finding; ``step`` is followed by how many times too large it is, and may be."""
    now, far, most = step
    used, ends, made = case.metric("codes_used"), case.ends, case.row.quantizer
    levels = case.spec.levels if made is None else made.ends[1] - made.ends[0] + 1
    evidence: dict[str, Any] = {"step": now, "own_step": now / far, "times": far}
    evidence |= {"threshold": most, "codes_used": used, "codes": levels}
    evidence |= {"data": ends, "sqnr": case.metric("sqnr")}
    codes = "" if used is None else f"{counted(int(used), 'code')} of {levels:,} in use, "
    message = (
        f"The step of {number(now)} is {times(far)} times that of a range of this data, "
        f"{interval(*ends)} (over {most:g} is too large): {codes}{decibels(evidence['sqnr'])} left."
    )
    return found.finding(message, evidence)


def _one_code(case: Case, steps: np.ndarray, totals: Totals, found: Remedies) -> Finding:
    widths = totals.x_max - totals.x_min
    at, made = int(np.argmax(widths)), case.row.quantizer
    width, step = float(widths[at]), float(np.broadcast_to(steps, widths.shape)[at])
    evidence: dict[str, Any] = {"count": int(totals.n.sum()), "step": step, "data": case.ends}
    evidence |= {"range_in_steps": width / step, "threshold": 1, "groups": totals.groups}
    evidence["sqnr"] = case.metric("sqnr")
    evidence["code"] = None if made is None else int(_codes(made, totals)[at, 0])
    whose = f"code {evidence['code']}" if totals.groups == 1 else "one code in each group"
    message = (
        f"All {evidence['count']:,} values become {whose}: the step of {number(step)} is "
        f"{times(step / width)} times as wide as all of their range, {interval(*case.ends)} (1 is "
        f"too wide); {decibels(evidence['sqnr'])} are left."
    )
    return Finding(HIGH, message, evidence, found.fixes, found.tried)


def _collapses(steps: np.ndarray, codes: np.ndarray, totals: Totals) -> bool:
    """Whether values differ, all of each group share a code, and the step is as wide as they."""
    widths, (first, last) = totals.x_max - totals.x_min, codes.T
    wide = bool((np.broadcast_to(steps, widths.shape) >= widths).all())
    return wide and bool((widths > 0).any() and (first == last).all())


def _codes(made: Quantizer, totals: Totals) -> np.ndarray:
    """Codes of the smallest and the largest value of each group, (groups, 2)."""
    return np.asarray(made.quantize(np.stack([totals.x_min, totals.x_max], axis=1)))


def _of_codes(codes: np.ndarray, given: Given) -> Finding | None:
    """Codes whose values are not known: how many are the zero point, and how far the others lie."""
    if given.scale.size != 1 or not codes.size:
        return None
    zero, levels = int(given.zero_point[0]), given.quant_max - given.quant_min + 1
    still = float((codes == zero).mean())
    farthest = max(int(codes.max()) - zero, zero - int(codes.min()))
    if still <= STILL or farthest > NEAR * levels:
        return None
    step = float(given.scale[0])
    evidence = {"zero_point": zero, "share": still, "farthest": farthest, "codes": levels}
    evidence |= {"step": step, "threshold": STILL, "near": NEAR * levels}
    rest = "all of them" if not farthest else f"the others lie within {farthest} of it"
    message = (
        f"{percent(still)} of the codes are the zero point {zero} (over {percent(STILL)}), {rest}, "
        f"of {levels:,} codes: the step of {number(step)} is too large for what was quantized, "
        "unless that was mostly 0; take it from a range of the data."
    )
    return Finding(MEDIUM if farthest else LOW, message, evidence)


def _explained(case: Case) -> bool:
    """Whether a rule says why the step is what it is."""
    return any(_fires(name, case) for name in CAUSES)


def _fires(name: str, case: Case) -> bool:
    try:
        found = RULES.entry(name).made(case)
    except QvizError:
        return False
    return found is not None and not found.expected
