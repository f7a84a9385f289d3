"""A histogram too coarse for its codes."""

from __future__ import annotations

from dataclasses import replace

from qviz.doctor.base import Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.knobs import knobs_of

BINS = ("bins", "num_bins", "n_bins")
PER_LEVEL = 4
FINE = 2048


@rule(
    "COARSE-HISTOGRAM",
    title="Too few bins",
    fires="the observer's histogram has fewer than 4 bins for each code",
    rated="the gain of 2048 bins or more",
    reports=("microsoft/onnxruntime#9597", "microsoft/onnxruntime#9342", "NVIDIA/TensorRT#2757"),
)
def coarse_histogram(case: Case) -> Finding | None:
    """Bins, codes, and what more bins gain."""
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
