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
from qviz.pipeline.judging import settle
from qviz.spec import Range
from qviz.stats.gather import gather
from qviz.stats.stream import Stream

AVERAGES = ("average", "ema", "initial")
WIDE, NARROW = 2.0, 0.5  # times the largest magnitude of the median batch
FASTER = "moving_average:rate=0.5"
TYPICAL = "typical batches"  # where gains are measured


@rule(
    "SLOW-AVERAGE",
    title="The average has not arrived",
    fires="a moving average stands over 2 times, or below half, of the median batch's reach, and "
    "so it did after the first batch",
    rated="the gain of a faster average on the typical batches",
    reports=("tensorflow/model-optimization#368", "microsoft/nni#3204"),
)
def slow_average(case: Case) -> Finding | None:
    """Where the average stands, where it started, and where the batches are.

    Where it started well, a batch far from the others has moved it, which RANGE-JUMP tells.
    """
    name = OBSERVERS.name_of(case.used)
    if len(case.values.batches) < 2 or not any(word in name for word in AVERAGES):
        return None
    asked = case.row.range or case.row.covered
    if asked is None or not case.per_tensor:
        raise QvizError(case.row.refused or "There is no range.")
    amax = np.array([float(state.amax[0]) for state in case.seen[BATCHES]])
    usual = float(np.median(amax))
    if usual <= 0 or not _off(asked, usual) or _off(_started(case), usual) != _off(asked, usual):
        return None
    reach, start = _reach(asked), _reach(_started(case))
    evidence = {"range": (float(asked.lo[0]), float(asked.hi[0])), "absmax": floats(amax)}
    evidence |= {"ratio": reach / usual, "thresholds": (NARROW, WIDE), "batches": len(amax)}
    evidence["start"] = start
    message = (
        f"After {len(amax)} batches the average reaches to {number(reach)}, "
        f"{number(reach / usual)} times the median batch ({NARROW:g} to {WIDE:g} is usual): its "
        f"start at {number(start)} still decides."
    )
    return _faster(case, amax / usual).finding(message, evidence)


def _reach(range: Range) -> float:
    return float(max(-range.lo[0], range.hi[0]))


def _off(range: Range, usual: float) -> int:
    """1 where a range is too wide, -1 where it is too narrow, else 0."""
    ratio = _reach(range) / usual
    return int(ratio > WIDE) - int(ratio < NARROW)


def _started(case: Case) -> Range:
    """The range after the first batch that holds a finite element."""
    there = zip(case.values.batches, case.seen[BATCHES], strict=True)
    first = next(batch for batch, state in there if state.finite[0])
    seen = gather(Stream.of(first).tiles[0], case.needs)
    made = settle(case.used, seen, case.target)
    return made.range or made.covered


def _faster(case: Case, times: np.ndarray) -> Remedies:
    """Quicker rules, and what they gain on the batches about as wide as the median one."""
    named = (("average faster", FASTER), ("keep the whole range (min-max)", "minmax"))
    ways = [(words, changed(case, observer=name)) for words, name in named]
    away = np.abs(np.log2(times))
    near = np.flatnonzero(away <= max(1.0, away.min()))
    return gains(case, ways, [case.values.batches[at] for at in near], TYPICAL)
