"""A moving average that has not arrived at the data."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import Finding, rule
from qviz.doctor.batchwise import gains
from qviz.doctor.case import BATCHES, Case
from qviz.doctor.remedies import Remedies
from qviz.doctor.settings import changed
from qviz.doctor.words import floats, number
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS

AVERAGES = ("average", "ema", "initial")
WIDE, NARROW = 2.0, 0.5  # times the largest magnitude of the median batch
FASTER = "moving_average:rate=0.5"
LAST = "last batch"  # where gains are measured


@rule(
    "SLOW-AVERAGE",
    title="The average has not arrived",
    fires="a moving average stands over 2 times, or below half, of the median batch's reach",
    rated="the gain of a faster average on the last batch",
    reports=("tensorflow/model-optimization#368", "microsoft/nni#3204"),
)
def slow_average(case: Case) -> Finding | None:
    """Where the average stands, and where the batches are."""
    name = OBSERVERS.name_of(case.used)
    if len(case.values.batches) < 2 or not any(word in name for word in AVERAGES):
        return None
    asked = case.row.range or case.row.covered
    if asked is None or not case.per_tensor:
        raise QvizError(case.row.refused or "There is no range.")
    amax = np.array([float(state.amax[0]) for state in case.seen[BATCHES]])
    reach, usual = float(max(-asked.lo[0], asked.hi[0])), float(np.median(amax))
    if usual <= 0 or NARROW <= reach / usual <= WIDE:
        return None
    evidence = {"range": (float(asked.lo[0]), float(asked.hi[0])), "absmax": floats(amax)}
    evidence |= {"ratio": reach / usual, "thresholds": (NARROW, WIDE), "batches": len(amax)}
    message = (
        f"After {len(amax)} batches the average reaches to {number(reach)}, "
        f"{number(reach / usual)} times the median batch ({NARROW:g} to {WIDE:g} is usual): its "
        "start still decides."
    )
    return _faster(case).finding(message, evidence)


def _faster(case: Case) -> Remedies:
    """Quicker rules, and what they gain on the last batch."""
    named = (("average faster", FASTER), ("keep the whole range (min-max)", "minmax"))
    ways = [(words, changed(case, observer=name)) for words, name in named]
    return gains(case, ways, case.values.batches[-1:], LAST)
