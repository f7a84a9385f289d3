"""A moving average that has not arrived at the data."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.doctor.base import Finding, Fix, rule
from qviz.doctor.case import BATCHES, Case
from qviz.doctor.remedies import ranked, sqnr
from qviz.doctor.settings import changed, how
from qviz.doctor.words import floats, number
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline.judging import settle
from qviz.quantizers.base import Quantizer
from qviz.stats.gather import gather

AVERAGES = ("average", "ema", "initial")
WIDE, NARROW = 2.0, 0.5  # times the largest magnitude of the median batch
FASTER = "moving_average:rate=0.5"


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
    made = ranked(_faster(case))
    message = (
        f"After {len(amax)} batches the average reaches to {number(reach)}, "
        f"{number(reach / usual)} times the median batch ({NARROW:g} to {WIDE:g} is usual): its "
        "start still decides."
    )
    return made.finding(message, evidence)


def _faster(case: Case) -> list[Fix]:
    """Quicker rules, and what they gain on the last batch."""
    tile, out = case.values.tiles[0], []
    if case.row.quantizer is None:
        return []
    for words, name in (("average faster", FASTER), ("keep the whole range (min-max)", "minmax")):
        setting = changed(case, observer=name)
        seen = gather(tile, setting.observer.needs, case.seen)
        try:
            then = settle(setting.observer, seen, setting.target).quantizer
        except QvizError:
            continue
        gain = _last(case, then) - _last(case, case.row.quantizer)
        out.append(Fix(f"{words} (measured on the last batch)", gain, how(case, setting)))
    return out


def _last(case: Case, quantizer: Quantizer) -> float:
    x = xp.host(xp.working(case.values.batches[-1].reshape(1, -1)[:, : 2**20]))
    x = np.where(np.isfinite(x), x, 0)
    e = xp.host(quantizer.fake_quantize(x)).astype(np.float64) - x
    return sqnr((x.astype(np.float64) ** 2).sum(), (e * e).sum())
