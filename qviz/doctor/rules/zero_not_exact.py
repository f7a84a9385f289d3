"""A grid on which real 0 is no level."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.base import LOW, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import number, percent
from qviz.errors import QvizError

ZEROS = 0.01  # share of exact zeros from which it matters


@rule(
    "ZERO-NOT-EXACT",
    title="Zero does not come back as zero",
    fires="what comes back of 0 is not 0",
    rated="the gain of a grid that holds 0; at least low where over 1 % of the values are 0",
    reports=("tensorflow/tensorflow#47193", "openvinotoolkit/nncf#809"),
)
def zero_not_exact(case: Case) -> Finding | None:
    """What 0 becomes: padding and sparsity turn into an offset."""
    made = case.row.quantizer
    if made is None or not case.per_tensor:
        raise QvizError("There is not one quantizer for the whole tensor.")
    back = float(xp.host(made.fake_quantize(np.zeros((1, 1), np.float32)))[0, 0])
    if back == 0 or not np.isfinite(back):
        return None
    zeros = float(case.facts.zero[0] / max(float(case.facts.finite[0]), 1.0))
    evidence = {"zero_becomes": back, "zeros": zeros, "threshold": ZEROS}
    if made.step is not None:
        evidence["steps"] = back / float(made.step[0])
    found = remedies(case, [("use a grid that holds 0 exactly", changed(case, mode="affine"))])
    level = LOW if found.severity == NOTE and zeros > ZEROS else found.severity
    message = (
        f"0 comes back as {number(back)}, not as 0 (exactly 0 is needed for padding): "
        f"{percent(zeros)} of the values are 0."
    )
    return Finding(level, message, evidence, found.fixes, found.tried)
