"""A histogram too coarse for its codes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qviz.doctor.base import NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.knobs import knobs_of
from qviz.observers.base import OBSERVERS

BINS = ("bins", "num_bins", "n_bins")
PER_LEVEL = 4
FINE = 2048
FULL = 2**24  # of one more, float32 knows no more
COUNTED = {  # observers whose originals count in float32, and the field that holds the counts
    "nvidia.entropy": "counts",
    "nvidia.mse": "counts",
    "nvidia.mse_released": "counts",
    "nvidia.percentile": "counts",
    "torch.histogram": "histogram",
}


@rule(
    "COARSE-HISTOGRAM",
    title="Too few bins, or too full ones",
    fires="the observer's histogram has fewer than 4 bins for each code; or its original counts in "
    "float32, and a bin holds 2^24 values or more",
    rated="the gain of 2048 bins or more; a note for full bins",
    reports=("microsoft/onnxruntime#9597", "microsoft/onnxruntime#9342", "NVIDIA/TensorRT#2757"),
)
def coarse_histogram(case: Case) -> Finding | None:
    """Bins, codes, and what more bins gain; or the fullest bin."""
    return _coarse(case) or _full(case)


def _coarse(case: Case) -> Finding | None:
    knobs = {name: knob for name, knob in knobs_of(case.used).items() if name in BINS}
    needed = PER_LEVEL * case.spec.levels
    for name, (known, bins) in knobs.items():
        if bins >= needed:
            continue
        high = FINE if known.high is None else known.high
        more = int(min(max(FINE, needed), high))
        finer = replace(case.used, **{name: more})  # type: ignore[type-var]
        found = remedies(case, [(f"count in {more} bins", changed(case, observer=finer))])
        evidence = {"bins": bins, "codes": case.spec.levels, "least": needed}
        message = (
            f"The histogram has {bins} bins for {case.spec.levels} codes (fewer than "
            f"{PER_LEVEL} each, {needed}): its cut-offs are as coarse as a bin."
        )
        return found.finding(message, evidence)
    return None


def _full(case: Case) -> Finding | None:
    """A bin that can no longer be counted in float32; here all are counted."""
    counts = None
    for recipe in case.used.needs:
        field = COUNTED.get(OBSERVERS.name_of(case.used), "")
        counts = getattr(case.seen[recipe], field, counts)
    fullest = 0 if counts is None else int(np.max(counts, initial=0))
    if fullest < FULL:
        return None
    evidence = {"fullest_bin": fullest, "least": FULL, "share": fullest / max(case.values.size, 1)}
    message = (
        f"One bin holds {fullest:,} values, 2^24 ({FULL:,}) or more: the original counts in "
        "float32, which stops there, so its cut-offs may be others. Here all are counted."
    )
    return Finding(NOTE, message, evidence)
