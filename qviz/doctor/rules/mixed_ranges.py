"""Channels whose ranges differ by orders of magnitude under one step."""

from __future__ import annotations

import numpy as np

from qviz.doctor.axes import apart
from qviz.doctor.base import Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.channels import Channels
from qviz.doctor.energies import exact_sqnr
from qviz.doctor.gains import remedies, with_analysis
from qviz.doctor.remedies import sqnr
from qviz.doctor.rules.known_range import softmax_rows
from qviz.doctor.rules.non_finite import masked
from qviz.doctor.ways import unlike
from qviz.doctor.words import counted, decibels, number
from qviz.spec import Role

APART = 10.0  # largest over median magnitude
BELOW = 20.0  # dB of the worst channel below the whole
LONG = 64  # elements from which a channel's own SQNR says something
BAD = 10.0  # dB
NOTHING = 1e-6  # dB around 0, at which nothing but 0 comes back


@rule(
    "MIXED-RANGES",
    title="Channels of very different range",
    fires="largest channel over 10 times the median, or the worst 20 dB below the whole",
    rated="the best gain at the output, else at the quiet channels, analysis included",
    reports=(
        *("rockchip-linux/rknn-toolkit#121", "Edgecortix-Inc/pytorch_quantization#5"),
        *("qualcomm/aimet#2474", "openvinotoolkit/openvino#9234"),
    ),
)
def mixed_ranges(case: Case) -> Finding | None:
    """Worst channel and number of bad ones beside the overall number, which hides them.

    Outlying channels, at most a tenth, are left to OUTLIER-CHANNEL: only the rest is looked at.
    Channels of few elements are told by their SQNR only where a weight has them 20 times too small.
    """
    there = case.channels
    if not case.per_tensor or there is None or not there.telling or case.row.quantizer is None:
        return None
    if softmax_rows(case) is not None or masked(case):
        return None  # the range is known, or set by what is no data
    alive = (there.amax > 0) & ~there.outliers
    ratio = apart(there.amax[alive])
    ratio = min(ratio, apart(there.reach[alive])) if ratio < 2 * APART else ratio
    own, whole = there.sqnr(case.row.quantizer), _together(case, there)
    known = np.where(alive & np.isfinite(own), own, np.inf)
    at = int(known.argmin())
    worst = exact_sqnr(there, case.row.quantizer, at) if there.sampled else float(known.min())
    long = there.each >= LONG or (case.role == Role.WEIGHT and there.faint[at])
    below = 0.0 if whole is None or not long or not there.judged else whole - worst
    if ratio <= APART and below <= BELOW:
        return None
    bad = int((known < BAD).sum())
    evidence = {"ratio": ratio, "threshold": APART, "axis": there.axis, "sqnr": whole}
    evidence |= {"worst_channel": at, "worst_sqnr": worst, "below_10_db": bad}
    evidence |= {"erased": int((np.abs(known) < NOTHING).sum()), "sampled": there.sampled}
    found = remedies(case, unlike(case))
    why = f"Channels differ {number(ratio)} times (largest over median, above {APART:g})"
    if ratio <= APART:
        why = f"The worst channel is {decibels(below)} below the whole (over {BELOW:g} dB)"
    message = (
        f"{why}: "
        f"{decibels(whole)} overall hides channel {at} with {decibels(worst)} and "
        f"{counted(bad, 'channel')} below 10 dB; trust the worst channel."
    )
    return with_analysis(case, found.finding(message, evidence))


def _together(case: Case, there: Channels) -> float | None:
    """SQNR of all channels together; without outlying ones, whose energy says nothing of others."""
    if not there.outliers.any():
        return case.metric("sqnr")
    made = case.row.quantizer
    if made is None:
        return None
    xx, ee = (part[~there.outliers].sum() for part in there.energies(made))
    found = sqnr(xx, ee)
    return found if np.isfinite(found) else None
