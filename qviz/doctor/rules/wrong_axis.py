"""Steps per channel along an axis on which channels are alike."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.axes import spread_along, thinned
from qviz.doctor.base import NOTE, TENSOR, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.channels import SAMPLE
from qviz.doctor.remedies import ranked
from qviz.doctor.words import number
from qviz.pipeline.granularities import gain
from qviz.spec import Granularity, Role
from qviz.stats.stream import Stream

UNLIKE = 4.0  # largest over median magnitude
TIMES = 4.0  # as far apart as along the chosen axis
CHANCE = 2.0  # times what the same elements give in any order: short channels differ by chance


@rule(
    "WRONG-AXIS",
    title="Steps along the wrong axis",
    fires="along another axis the largest channel is over 4 times the median, 4 times as far apart "
    "as along the chosen one, and twice as far as the same elements in any order",
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
    least = _least(case, found[axis], found[other], other)
    if found[other] <= least or case.channels is None:
        return None
    now, then = (_sqnr(case, along) for along in (axis, other))
    how = {"granularity": f"per_channel:{other}"}
    made = ranked([Fix(f"give each channel of axis {other} its step", then - now, how, TENSOR)])
    if made.severity == NOTE:
        return None
    evidence = {"axis": axis, "other": other, "spread": list(found), "threshold": least}
    message = (
        f"Along axis {axis} the largest channel is {number(found[axis])} times the median, along "
        f"axis {other} {number(found[other])} times (over {number(least)}): these are unlike."
    )
    return made.finding(message, evidence)


def _least(case: Case, now: float, then: float, other: int) -> float:
    """How far apart channels of the other axis must be."""
    least = max(UNLIKE, TIMES * now)
    return max(least, CHANCE * _shuffled(case)[other]) if then > least else least


def _shuffled(case: Case) -> tuple[float, ...]:
    """How far channels are apart where the first batch's elements stand in any order."""
    first = case.values.batches[0]
    flat = xp.host(xp.working(first)).reshape(-1)
    mixed = np.random.default_rng(0).permutation(flat).reshape(first.shape)
    return spread_along(Stream.of(mixed))


def _sqnr(case: Case, axis: int) -> float:
    """SQNR with steps along an axis, on evenly spaced elements."""
    batch = thinned(case.values.batches[0], axis, SAMPLE)
    along = Granularity("per_channel", axis)
    return gain(Stream.of(batch), case.used, case.target, along).sqnr
