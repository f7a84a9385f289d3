"""Channels that hold nothing but 0."""

from __future__ import annotations

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.words import counted, indices, named


@rule(
    "DEAD-CHANNEL",
    title="Channels of zeros",
    fires="a channel's largest magnitude is 0, others are alive",
    rated="always a note: 0 comes back as 0",
    reports=("apple/coremltools#2853", "apple/coremltools#2851", "pytorch/ao#4713"),
)
def dead_channel(case: Case) -> Finding | None:
    """Dead channels; a rule without a guard would divide 0 by 0 there."""
    there = case.channels
    if there is None or not there.telling:
        return None
    dead = (there.amax == 0) & (there.facts.finite > 0)
    if not dead.any() or dead.all():
        return None
    which = indices(dead)
    evidence = {"channels": which, "count": int(dead.sum()), "axis": there.axis}
    message = (
        f"{counted(int(dead.sum()), 'channel')} of {there.count:,} with nothing but 0 "
        f"({named(which)}; any is told): 0 comes back as 0, but a scale of their own is 0 "
        "where no rule guards it."
    )
    return Finding(NOTE, message, evidence)
