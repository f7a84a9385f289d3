"""One batch that is far wider than the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qviz import xp
from qviz.doctor.axes import LARGEST, above, middle
from qviz.doctor.base import HIGH, LOW, MEDIUM, NOTE, Finding, rule
from qviz.doctor.batchwise import gains
from qviz.doctor.batchwise import left as sqnr_of
from qviz.doctor.case import BATCHES, Case
from qviz.doctor.rules.slow_average import slow_average
from qviz.doctor.settings import Setting, changed
from qviz.doctor.words import decibels as db
from qviz.doctor.words import floats, indices, named, times
from qviz.errors import QvizError
from qviz.observers.manual import ManualObserver

JUMP = 6.0  # times the median of the other batches, as tokens and channels are outliers
STAYS = 0.25  # of the batches, from which the last ones are where the range has grown to
BINS = 2048  # of a histogram that keeps its bins' width when its range grows
OTHER_BATCHES = "other batches"  # where gains are measured
NAMED = {
    "average the batches' ranges": "moving_average",
    "keep 99.9 % of the values": "percentile:keep=99.9",
}
HUGE = 100.0  # times it, from which any value counts, and the others up to 30 dB
TAIL = 0.01  # of a batch's values, up to which those beyond all others are a tail
BAD = {HIGH: 10.0, MEDIUM: 20.0, LOW: 30.0}  # dB left to the other batches


@rule(
    "RANGE-JUMP",
    title="A batch widens the range",
    fires="a batch, first or not, reaches over 6 times as far as the median of the others, with "
    "over 1 % of its values beyond it, and leaves them below 20 dB; or over 100 times, and 30 dB; "
    "not the last quarter together, to which a range in training has grown",
    rated="the SQNR that is left to the other batches: below 10, 20, 30 dB",
    reports=("pytorch/pytorch#123309", "pytorch/pytorch#29768"),
)
def range_jump(case: Case) -> Finding | None:
    """The batch, and what is left of the others; a start that still decides is SLOW-AVERAGE's."""
    if len(case.values.batches) < 2:
        return None
    amax = np.array([float(state.amax[0]) for state in case.seen[BATCHES]])
    wide = above(amax)
    if not wide.any() or _grown(wide):
        return None
    at, others = int(amax.argmax()), np.flatnonzero(~wide)
    usual = middle(amax[others])
    ratio = min(float(amax[at]) / usual, LARGEST / BINS)
    if ratio <= JUMP or (ratio <= HUGE and _beyond(case, at, usual) <= TAIL):
        return None
    if case.row.quantizer is None or not case.per_tensor:
        raise QvizError(case.row.refused or "There is not one step for the whole tensor.")
    rest = [case.values.batches[other] for other in others]
    left = sqnr_of(rest, case.row.quantizer)
    bad = BAD[LOW if ratio > HUGE else MEDIUM]
    if left is None or left >= bad or _started_so(case):
        return None
    level = next(level for level, most in BAD.items() if left < most)
    evidence = {"batch": at, "batches": indices(wide), "ratio": ratio, "threshold": JUMP}
    evidence |= {"absmax": floats(amax), "sqnr_others": left, "bad": bad}
    evidence["bins_at_old_width"] = BINS * ratio
    found = gains(case, _ways(case, wide, amax), rest, OTHER_BATCHES)
    one = wide.sum() == 1
    message = (
        f"{_batches(wide).capitalize()} {'reaches' if one else 'reach up to'} {times(ratio)} times "
        f"as far as the median of the others (over {JUMP:g}): the others are left with {db(left)} "
        f"(below {bad:g} is bad)."
    )
    return Finding(level, message, evidence, found.fixes, found.tried)


def _grown(wide: np.ndarray) -> bool:
    """Whether the wide batches are the last ones, and too many to be a jump."""
    count = int(wide.sum())
    return bool(wide[-count:].all()) and count > max(1.0, STAYS * len(wide))


def _beyond(case: Case, at: int, usual: float) -> float:
    """Share of a batch's values that lie beyond what the others reach: a tail is no loud batch."""
    return float((np.abs(xp.host(xp.working(case.values.batches[at]))) > usual).mean())


def _started_so(case: Case) -> bool:
    """Whether it is an average's start that still decides."""
    slow = slow_average(case)
    return slow is not None and slow.severity != NOTE


def _batches(wide: np.ndarray) -> str:
    return named(np.flatnonzero(wide).tolist()).replace("channel", "batch", 1).replace("hs", "hes")


def _ways(case: Case, wide: np.ndarray, amax: np.ndarray) -> Iterator[tuple[str, Setting]]:
    """Ranges that the wide batches do not set; the first is that of the median batch."""
    usual = int(np.argsort(amax, kind="stable")[(len(amax) - 1) // 2])
    lo, hi = (float(getattr(case.seen[BATCHES][usual], end)[0]) for end in ("lo", "hi"))
    then = f"{_batches(wide)} {'is' if wide.sum() == 1 else 'are'} then clipped"
    if lo < hi and not wide[usual]:
        words = f"take the range of the median batch; {then}"
        yield words, changed(case, observer=ManualObserver(lo, hi))
    for words, name in NAMED.items():
        yield f"{words}; {then}", changed(case, observer=name)
