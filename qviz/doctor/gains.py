"""What a setting is worth: measured where it counts, against what the case has now."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from qviz.doctor.base import LEVELS, OUTPUT, QUIET, TENSOR, Finding, Fix
from qviz.doctor.case import Case
from qviz.doctor.energies import own_energies
from qviz.doctor.remedies import MOST, Remedies, capped, ranked
from qviz.doctor.returned import returned
from qviz.doctor.settings import Setting, how, present
from qviz.doctor.tries import inside, of_product, sample, tried
from qviz.doctor.ways import by_channel
from qviz.errors import QvizError
from qviz.metrics.base import decibels
from qviz.models.alone import Outcome
from qviz.pipeline.channel_facts import LOUD
from qviz.pipeline.comparing import compare
from qviz.pipeline.judging import EXACT_BELOW, settle
from qviz.quantizers.base import Quantizer
from qviz.stats.gather import gather

MODEL = "model"  # key of what reached its output
LOSS = 0.5  # dB that the whole tensor may lose for its quiet channels

Ways = Iterable[tuple[str, Setting]]


def yardstick(case: Case) -> str:
    """Where gains count: at the output, at the quiet channels, else on the tensor.

    Quiet channels pay for loud ones only where the range holds what makes these loud.
    """
    if case.runs is not None and outcome_of(case, present(case)) is not None:
        return OUTPUT
    if case.runs is None and case.operand is not None and inside(case) is not None:
        return OUTPUT
    there = case.channels
    unlike = there is not None and there.unlike and not clips_loud(case)
    return QUIET if unlike else TENSOR


def whole(case: Case) -> str:
    """Where gains count that no channel has to itself: at the output, else on the tensor."""
    return OUTPUT if yardstick(case) == OUTPUT else TENSOR


def clips_loud(case: Case) -> bool:
    """Whether the range ends before what makes channels loud: no other pays for it then."""
    there = case.channels
    if there is None or not there.loud.any() or not usable(case):
        return False
    covered = case.row.covered
    if covered is None:
        return False
    return max(np.abs(covered.lo).max(), np.abs(covered.hi).max()) < LOUD * there.median


def remedies(case: Case, ways: Ways, at: str = "") -> Remedies:
    """Each way tried; ``at`` is the yardstick's place unless it is given."""
    at = at or yardstick(case)
    made = []
    for action, setting in ways:
        gain = gained(case, setting, at)
        if gain is None:
            continue
        place, whole = at, gained(case, setting, TENSOR) if at == QUIET else None
        if whole is not None and whole < -LOSS:
            gain, place = whole, TENSOR  # bought by giving up the loud channels
        there = outcome_of(case, setting) if place == OUTPUT else None
        right = None if there is None else there.accuracy
        made.append(Fix(action, gain, how(case, setting), place, right))
    return ranked(made)


def with_analysis(case: Case, found: Finding) -> Finding:
    """The finding with what a step for each channel would gain where it cannot be deployed.

    It is as severe as the better of both: what the shared step costs does not depend on whether
    the other tensor, into which a factor could be moved, is at hand.
    """
    made = remedies(case, by_channel(case))
    level = max(found.severity, made.severity, key=LEVELS.index)
    return replace(found, severity=level, analysis=made.fixes)


def outcome_of(case: Case, setting: Setting) -> Outcome | None:
    """What reaches the model's output under a setting; None where it was not run."""
    if case.runs is None:
        return None
    measured(case, setting, OUTPUT)
    return case.known.get((setting, MODEL))


def gained(case: Case, setting: Setting, at: str) -> float | None:
    """Gain in dB over what the case has now, of which nothing usable counts as 0 dB."""
    now, then = measured(case, present(case), at), measured(case, setting, at)
    if now is None and usable(case):
        return None  # what there is now has no number here, which is not the same as 0 dB
    return None if then is None else then - (now or 0.0)


def measured(case: Case, setting: Setting, at: str) -> float | None:
    """SQNR in dB at a place; None where the setting cannot serve or the place has no energy."""
    key = (setting, at)
    if key not in case.known:
        try:
            case.known[key] = _finite(_measured(case, setting, at))
        except QvizError:
            case.known[key] = None
    return case.known[key]


def _finite(sqnr: float | None) -> float | None:
    return None if sqnr is None or math.isnan(sqnr) else capped(sqnr)


def _measured(case: Case, setting: Setting, at: str) -> float | None:
    if at == OUTPUT:
        return of_product(case, setting) if case.runs is None else _of_model(case, setting)
    there = case.channels
    if at == TENSOR and setting.plain and (there is None or case.values.size >= EXACT_BELOW):
        return _on_tensor(case, setting)
    key = (setting, "channels")
    if key not in case.known:
        case.known[key] = _by_channel(case, setting)
    xx, ee = case.known[key]
    if at == QUIET and there is not None:
        xx, ee = xx[there.quiet], ee[there.quiet]
    return float(decibels(xx.sum(), ee.sum()))


def _settled(case: Case, setting: Setting) -> Quantizer:
    seen = gather(case.values.tiles[0], setting.observer.needs, case.seen)
    return settle(setting.observer, seen, setting.target).quantizer


def usable(case: Case) -> bool:
    """Whether what the case has now gives anything back."""
    try:
        return case.row.refused is None
    except QvizError:
        return False


def _on_tensor(case: Case, setting: Setting) -> float | None:
    row = compare(case.values, [setting.observer], setting.target, have=case.seen).rows[0]
    return None if row.totals is None else float(decibels(row.totals.xx, row.totals.ee)[0])


def _by_channel(case: Case, setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """Of each channel the sums of x^2 and e^2, on the sample."""
    there = case.channels
    if setting.transform is None and there is not None:
        if setting.plain:
            made = case.row.quantizer if setting == present(case) else None
            return there.energies(made or _settled(case, setting))
        if there.of_matrix(setting.target.granularity).kind == "per_channel":
            known = case.row.totals if setting == present(case) else None
            if known is not None:
                return known.xx, known.ee
            return own_energies(there, setting.observer, setting.target)
    made = tried(sample(case), setting, None)
    return made.xx, made.ee


def _of_model(case: Case, setting: Setting) -> float | None:
    if case.runs is None:
        return None
    made = case.known[setting, MODEL] = case.runs(returned(case, setting))
    return MOST if made.lossless else made.sqnr
