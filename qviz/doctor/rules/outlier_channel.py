"""One channel, or a few, that force the step on all others."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.channels import FAR, Channels
from qviz.doctor.gains import remedies, with_analysis, yardstick
from qviz.doctor.remedies import sqnr
from qviz.doctor.rules.known_range import softmax_rows
from qviz.doctor.rules.non_finite import masked
from qviz.doctor.ways import unlike
from qviz.doctor.words import counted, floats, named, number
from qviz.doctor.words import decibels as db
from qviz.errors import QvizError
from qviz.spec import PER_TENSOR


@rule(
    "OUTLIER-CHANNEL",
    title="One channel forces the step",
    fires="a channel's largest magnitude is over 6 times the median channel's, of at most a tenth",
    rated="the best gain at the output, else at the quiet channels, analysis included",
    reports=("Jonah-May-OSS/wyoming-whisper-trt#1052", "NVIDIA/TensorRT#4073"),
)
def outlier_channel(case: Case) -> Finding | None:
    """The channels, how far out they are, and what the others are left with."""
    there = case.channels
    if case.target.granularity != PER_TENSOR or there is None or not there.telling:
        return None
    if not there.outliers.any() or softmax_rows(case) is not None or masked(case):
        return None
    loud = np.flatnonzero(there.outliers)
    loud = loud[np.argsort(-there.amax[loud])].tolist()
    times = float(there.amax[loud[0]] / there.median)
    quiet, codes = _left(case, there)
    evidence = {"channels": loud[:64], "axis": there.axis, "times_median": times}
    evidence |= {"threshold": FAR, "absmax": floats(there.amax[loud]), "median": there.median}
    evidence |= {"quiet_sqnr": quiet, "quiet_codes": codes, "sqnr": case.metric("sqnr")}
    evidence |= {"sampled": there.sampled, "measured_at": yardstick(case)}
    evidence["quiet_channels"] = int(there.quiet.sum())
    found = remedies(case, unlike(case))
    verb = "forces" if len(loud) == 1 else "force"
    message = (
        f"{named(loud)} {verb} the step, {number(times)} times the median channel (over {FAR:g}): "
        f"the other {counted(evidence['quiet_channels'], 'channel')} use "
        f"{counted(codes, 'code')} and have {db(quiet)}, which is the number to trust."
    )
    made = found.finding(message[:1].upper() + message[1:], evidence)
    return with_analysis(case, made)


def _left(case: Case, there: Channels) -> tuple[float, int]:
    """SQNR of the quiet channels together, and the codes that occur in them."""
    made = case.row.quantizer
    if made is None:
        raise QvizError(case.row.refused or "There is no quantizer.")
    xx, ee = there.energies(made)
    quiet = there.matrix[:, there.quiet].reshape(1, -1)
    codes = len(np.unique(made.quantize(quiet)))
    left = sqnr(xx[there.quiet].sum(), ee[there.quiet].sum())
    return (left if np.isfinite(left) else 0.0), codes
