"""A scale that is no step: negative, 0 or not a number."""

from __future__ import annotations

import math

import numpy as np

from qviz.doctor.base import HIGH, TENSOR, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import measured
from qviz.doctor.remedies import ranked
from qviz.doctor.settings import changed, how
from qviz.doctor.words import counted, indices


@rule(
    "LEARNED-SCALE-DIVERGED",
    title="A scale that is no step",
    fires="a given scale is 0 or less, or not finite",
    rated="always high: it cannot be deployed",
    reports=("ZouJiu1/LSQplus#12", "OpenPPL/ppq#518"),
)
def learned_scale_diverged(case: Case) -> Finding | None:
    """The scales, and what a range of the data would give."""
    given = case.given
    if given is None or given.sound:
        return None
    bad = ~(np.isfinite(given.scale) & (given.scale > 0))
    said = [float(s) if math.isfinite(s) else str(s) for s in given.scale[bad][:64]]
    evidence = {"channels": indices(bad), "scale": said, "count": int(bad.sum()), "least": 0}
    fixes: list[Fix] = []
    if case.stream is not None:
        setting = changed(case, observer="minmax")
        then = measured(case, setting, TENSOR)
        words = "start again from a range of the data, kept above 0"
        fixes = (
            [] if then is None else [Fix(words, then, how(case, setting) or {"observer": "minmax"})]
        )
    verb = "is" if bad.sum() == 1 else "are"
    message = (
        f"{counted(int(bad.sum()), 'scale')} {verb} no finite number above 0 "
        f"(a step must be): the first is {said[0]}, as a learned scale becomes that nothing holds."
    )
    return Finding(HIGH, message, evidence, ranked(fixes).fixes)
