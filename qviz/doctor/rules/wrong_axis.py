"""Steps per channel along an axis on which channels are alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qviz import xp
from qviz.doctor.axes import above, apart, sides_along, thinned, times_below
from qviz.doctor.base import NOTE, QUIET, TENSOR, Finding, Fix, rule, severity
from qviz.doctor.case import Case
from qviz.doctor.channels import BAD, SAMPLE, Channels
from qviz.doctor.elsewhere import least_spread
from qviz.doctor.gains import LOSS
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.words import decibels, indices, named, number, times
from qviz.models.fake import fake_quantized
from qviz.pipeline.granularities import gain
from qviz.spec import Granularity, Role
from qviz.stats.stream import Stream


@rule(
    "WRONG-AXIS",
    title="Steps along the wrong axis",
    fires="along another axis the largest channel is over 4 times the median, or a faint group as "
    "far below it, 4 times as far apart as along the chosen one, and twice as far as by chance: as "
    "the same elements, without loud channels, in any order",
    rated="the gain of the other axis; where the whole hides it, at quiet channels below 10 dB",
    reports=(
        *("OpenPPL/ppq#339", "microsoft/onnxruntime#19694", "NVIDIA/TensorRT#2380"),
        *("ModelTC/MQBench#113", "Xilinx/brevitas#340"),
    ),
)
def wrong_axis(case: Case) -> Finding | None:
    """How far channels are apart along each axis. Not of activations, whose axis is no choice.

    A faint group, a gap of 4 times below all others, hides in the whole, and so does all that is
    not loud: these are judged by themselves. Channels as good as dead, below 1e-4 of the median
    one, are no group: whatever adds channels up does not miss them.
    """
    chosen = case.target.granularity
    if chosen.kind != "per_channel" or case.role == Role.ACTIVATION:
        return None
    sides = sides_along(case.values)
    found = tuple(map(max, sides))
    if len(found) < 2:
        return None
    axis = chosen.axis % len(found)
    other = max((a for a in range(len(found)) if a != axis), key=lambda a: found[a])
    least = least_spread(case, found[axis], found[other], other)
    if found[other] <= least or case.channels is None:
        return None
    evidence: dict[str, Any] = {"axis": axis, "other": other, "spread": list(found)}
    evidence |= {
        "threshold": least,
        "faint_axes": [a for a, (up, down) in enumerate(sides) if down > up],
    }
    there = Channels.along(case.values, other)
    if there.below.any() and times_below(there.amax) > apart(there.amax):
        return _quiet(case, there, axis, there.below, evidence)
    now, then = (_sqnr(case, along, other) for along in (axis, other))
    made = ranked([Fix(_action(other), then - now, _how(other), TENSOR)])
    if made.severity == NOTE:
        group = above(there.amax)
        return _quiet(case, there, axis, group if group.any() else there.loud, evidence)
    message = (
        f"Along axis {axis} the largest channel is {number(found[axis])} times the median, along "
        f"axis {other} {number(found[other])} times (over {number(least)}): these are unlike."
    )
    return made.finding(message, evidence)


def _action(axis: int) -> str:
    return f"give each channel of axis {axis} its step"


def _how(axis: int) -> dict[str, str]:
    return {"granularity": f"per_channel:{axis}"}


def _quiet(
    case: Case, there: Channels, axis: int, few: np.ndarray, evidence: dict[str, Any]
) -> Finding | None:
    """What is left of a faint group, else of all but a loud one, and what their steps gain."""
    other, faint = there.axis, few is there.below
    quiet = few if faint else ~few
    (now, whole), (then, changed) = (_apart(case, along, other, quiet) for along in (axis, other))
    level = severity(then - now)
    if not few.any() or now >= BAD or level == NOTE:
        return None
    evidence |= {"channels": indices(few), "quiet_channels": int(quiet.sum()), "bad": BAD}
    evidence |= {"quiet_sqnr": now, "quiet_sqnr_then": then, "sqnr": whole, "sqnr_then": changed}
    those = ("it" if few.sum() == 1 else "them") if faint else "the others"
    said = (
        f"{_group(there, few, faint)} (over {number(evidence['threshold'])}): steps along axis "
        f"{axis} leave {those} {decibels(now)} (below {BAD:g} is bad), steps along axis {other} "
        f"{decibels(then)}"
    )
    fix = Fix(_action(other), then - now, _how(other), QUIET)
    if changed - whole >= -LOSS:
        return Finding(level, f"{said}.", evidence, (fix,))
    loss = replace(fix, gain_db=changed - whole, measured_at=TENSOR)
    said += f", but cost the whole {decibels(whole - changed)}."
    return Finding(level, said, evidence, (), (loss,), analysis=(fix,))


def _group(there: Channels, few: np.ndarray, faint: bool) -> str:
    """Which channels lie how far from the median one."""
    far = times_below(there.amax) if faint else apart(there.amax)
    verb, where = "lies" if few.sum() == 1 else "lie", "below" if faint else "above"
    which = named(np.flatnonzero(few).tolist())
    how = f"{times(far)} times {where} the median channel"
    return f"Along axis {there.axis} {which} {verb} {'' if faint else 'up to '}{how}"


def _apart(case: Case, axis: int, other: int, faint: np.ndarray) -> tuple[float, float]:
    """SQNR of the faint channels of the other axis, and of all, with steps along an axis."""
    x = xp.host(xp.working(thinned(case.values.batches[0], other, SAMPLE)))
    target = replace(case.target, granularity=Granularity("per_channel", axis))
    (y,) = fake_quantized([x], case.used, target)
    x, y = (np.moveaxis(np.where(np.isfinite(x), v, 0), other, 0).astype(float) for v in (x, y))
    xx, ee = (v.reshape(len(faint), -1).sum(axis=1) for v in (x * x, (y - x) ** 2))
    return sqnr(xx[faint].sum(), ee[faint].sum()), sqnr(xx.sum(), ee.sum())


def _sqnr(case: Case, axis: int, other: int) -> float:
    """SQNR with steps along an axis, on evenly spaced elements of each channel of the other."""
    batch = thinned(case.values.batches[0], other, SAMPLE)
    along = Granularity("per_channel", axis)
    return gain(Stream.of(batch), case.used, case.target, along).sqnr
