"""Channels that hold nothing but 0, or as good as nothing."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.channels import Channels
from qviz.doctor.judged import judged
from qviz.doctor.masks import masked
from qviz.doctor.words import counted, indices, named, percent, times
from qviz.pipeline.channel_facts import NEAR_DEAD
from qviz.spec import Role


@rule(
    "DEAD-CHANNEL",
    title="Channels of zeros",
    fires="a channel's largest magnitude is 0, others are alive; or one is as good as dead, below "
    "1e-4 of the median channel's, and one step for all makes 0 of it",
    rated="always a note: 0 comes back as 0, and no sum over channels misses what is 80 dB below",
    reports=("apple/coremltools#2853", "apple/coremltools#2851", "pytorch/ao#4713"),
)
def dead_channel(case: Case) -> Finding | None:
    """Dead channels; a rule without a guard would divide 0 by 0 there.

    One as good as dead matters only to what reads it by itself: then more than its step is wrong.
    A matrix of unknown role is looked at from both sides. Masks that the range leaves out are no
    values of any channel.
    """
    case = judged(case) or case
    there = case.channels
    found = None if there is None else _along(case, there)
    turned = case.role == Role.UNKNOWN and case.axis is None and case.per_tensor
    if found is None and there is not None and turned and there.batches[0].ndim == 2:
        found = _along(case, Channels.along(case.values, 1 - there.axis))
    return found


def _along(case: Case, there: Channels) -> Finding | None:
    if not there.telling:
        return None
    dead = there.dead & (there.facts.finite > 0)
    faint = _lost(case, there)
    if not (dead | faint).any() or dead.all():
        return None
    which = indices(dead | faint)
    evidence = {"channels": which, "count": int((dead | faint).sum()), "axis": there.axis}
    evidence |= {"near_dead": indices(faint), "threshold": NEAR_DEAD, "median": there.median}
    said = []
    if dead.any():
        said.append(
            f"{counted(int(dead.sum()), 'channel')} of {there.count:,} with nothing but 0 "
            f"({named(indices(dead))}; any is told): 0 comes back as 0, but a scale of their own "
            "is 0 where no rule guards it."
        )
    if faint.any():
        said.append(_as_good_as(there, faint, evidence))
    return Finding(NOTE, " ".join(said), evidence)


def _lost(case: Case, there: Channels) -> np.ndarray:
    """Channels as good as dead that become 0 under the one step of all."""
    if not case.per_tensor or not there.near_dead.any() or masked(case):
        return np.zeros(there.count, bool)
    return there.near_dead & (there.amax < case.grid.step[0] / 2)


def _as_good_as(there: Channels, faint: np.ndarray, evidence: dict[str, object]) -> str:
    share = float(there.energy[faint].sum() / there.energy.sum())
    evidence["energy_share"] = share
    far = there.median / float(there.amax[faint].max())
    one = faint.sum() == 1
    return (
        f"{counted(int(faint.sum()), 'channel')} of {there.count:,} as good as dead "
        f"({named(indices(faint))}, {times(far)} times below the median, over 10,000 is told; "
        f"{percent(share) if share >= 1e-6 else 'under 0.0001 %'} of the energy): "
        f"{'it becomes' if one else 'they become'} 0 under one step, which only a norm or a "
        "depthwise layer that reads each channel by itself would miss."
    )
