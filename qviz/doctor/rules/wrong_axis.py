"""Steps per channel along an axis on which channels are alike."""

from __future__ import annotations

from qviz.doctor.base import NOTE, TENSOR, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.channels import SAMPLE, spread_along, thinned
from qviz.doctor.remedies import ranked
from qviz.doctor.words import number
from qviz.pipeline.granularities import gain
from qviz.spec import Granularity, Role
from qviz.stats.stream import Stream

ALIKE, UNLIKE = 2.5, 4.0  # largest over median magnitude


@rule(
    "WRONG-AXIS",
    title="Steps along the wrong axis",
    fires="channels along the chosen axis are below 2.5 times the median, along another over 4",
    rated="the gain of the other axis",
    reports=(
        *("OpenPPL/ppq#339", "microsoft/onnxruntime#19694", "NVIDIA/TensorRT#2380"),
        *("ModelTC/MQBench#113", "Xilinx/brevitas#340"),
    ),
)
def wrong_axis(case: Case) -> Finding | None:
    """How far channels are apart along each axis. Not of activations, whose axis is no choice."""
    chosen = case.target.granularity
    if chosen.kind != "per_channel" or case.role == Role.ACTIVATION:
        return None
    found = spread_along(case.values)
    if len(found) < 2:
        return None
    axis = chosen.axis % len(found)
    other = max((a for a in range(len(found)) if a != axis), key=lambda a: found[a])
    if found[axis] >= ALIKE or found[other] <= UNLIKE:
        return None
    there = case.channels
    if there is None:
        return None
    now, then = (_sqnr(case, along) for along in (axis, other))
    how = {"granularity": f"per_channel:{other}"}
    made = ranked([Fix(f"give each channel of axis {other} its step", then - now, how, TENSOR)])
    if made.severity == NOTE:
        return None
    evidence = {"axis": axis, "other": other, "spread": list(found), "thresholds": (ALIKE, UNLIKE)}
    message = (
        f"Along axis {axis} channels are alike ({number(found[axis])} times the median, below "
        f"{ALIKE:g}), along axis {other} they are not ({number(found[other])}, over {UNLIKE:g})."
    )
    return made.finding(message, evidence)


def _sqnr(case: Case, axis: int) -> float:
    """SQNR with steps along an axis, on evenly spaced elements."""
    batch = thinned(case.values.batches[0], axis, SAMPLE)
    along = Granularity("per_channel", axis)
    return gain(Stream.of(batch), case.used, case.target, along).sqnr
