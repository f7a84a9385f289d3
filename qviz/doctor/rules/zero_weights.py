"""Importance weights that are all 0."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import HIGH, TENSOR, Finding, Fix, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import measured
from qviz.doctor.remedies import ranked
from qviz.doctor.settings import present
from qviz.doctor.words import counted, indices


@rule(
    "ZERO-WEIGHTS",
    title="All importance weights are zero",
    fires="the importance weights of a group sum to 0",
    rated="always high: a weighted fit divides 0 by 0",
    reports=(
        *("ggml-org/llama.cpp#8661", "ggml-org/llama.cpp#7311", "ggml-org/llama.cpp#11764"),
        "ggml-org/llama.cpp#12439",
    ),
)
def zero_weights(case: Case) -> Finding | None:
    """Groups that calibration never reached, and what equal weights give them."""
    if case.importance is None:
        return None
    rows = case.target.granularity.rows(np.asarray(case.importance, np.float64))
    none = rows.sum(axis=1) == 0
    if not none.any():
        return None
    evidence = {"groups": indices(none), "count": int(none.sum()), "of": len(none)}
    then = None if case.stream is None else measured(case, present(case), TENSOR)
    fixes = () if then is None else ranked([Fix("weigh all elements alike there", then)]).fixes
    message = (
        f"{counted(int(none.sum()), 'group')} of {len(none):,} with a total weight of 0 (above 0 "
        "is needed): a weighted scale there is 0/0; the calibration data never reached them."
    )
    return Finding(HIGH, message, evidence, fixes)
