"""A few values that set the range of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from qviz.doctor.base import (
    FROM,
    HIGH,
    LEVELS,
    MEDIUM,
    NOTE,
    OUTPUT,
    TENSOR,
    Finding,
    Fix,
    milder,
    rule,
)
from qviz.doctor.batchwise import left, parted, settled
from qviz.doctor.case import BATCHES, Case
from qviz.doctor.gains import LOSS, Ways, gained, remedies, whole, yardstick
from qviz.doctor.masks import masked
from qviz.doctor.masks import reach as ends_of
from qviz.doctor.reaching import FAR, FEW, LEFT, SHARE, Reach, reach, sizes
from qviz.doctor.remedies import Remedies, ranked
from qviz.doctor.rules.known_range import softmax_rows
from qviz.doctor.rules.mixed_ranges import mixed_ranges
from qviz.doctor.rules.outlier_channel import outlier_channel
from qviz.doctor.settings import Setting, changed, how
from qviz.doctor.ways import finer, observers, wider
from qviz.doctor.words import decibels as db
from qviz.doctor.words import interval, number, percent, times
from qviz.observers.manual import ManualObserver
from qviz.quantizers.base import Quantizer

BINS, DEEPEST = 2, 14  # per power of ten, and powers of ten that are told apart
GONE = 0.5  # share of the values that become 0 although they are not
BY_CHANNEL = "told by OUTLIER-CHANNEL"  # key of what it said
USUAL = "usual values"  # where gains are measured: the share that lies below


@rule(
    "OUTLIERS-SET-RANGE",
    title="A few values set the range",
    fires="the range reaches over 5 times as far as 99.9 % of the values; or over 50 times as "
    "far as 90 % or more of them below a gap of 10 times (300 times for a quarter or more), which "
    "keep less than 10 dB; no channel or batch explains it, and it is no softmax",
    rated="the gain of cutting for these values where they keep less than 20 dB (10 dB for high), "
    "or for all; at least medium where over half of the values become 0",
    reports=(
        *("SonySemiconductorSolutions/mct-model-optimization#1337", "Samsung/ONE#3047"),
        "huggingface/transformers#15676",
    ),
)
def outliers_set_range(case: Case) -> Finding | None:
    """How far the largest values are out, and what is left to the others, which is what counts.

    The few may hold the energy, so the whole tells nothing: what a cut gives the many and what
    it takes from the few is told side by side.
    """
    if not case.per_tensor or case.row.covered is None or _by_channel(case):
        return None
    far = reach(case)
    if far is None or softmax_rows(case) is not None:
        return None
    parts = parted(case, far.usual)
    kept = _kept(case.row.quantizer, parts)
    if far.share < SHARE and (kept[0] is None or kept[0] >= LEFT[HIGH] or _told(case)):
        return None
    gone = case.metric("zeroed_share") or 0.0
    evidence = {"largest": far.largest, "usual": far.usual, "ratio": far.ratio}
    evidence |= {"threshold": far.far, "share": far.share}
    evidence |= {"usual_sqnr": kept[0], "others_sqnr": kept[1], "sqnr": case.metric("sqnr")}
    evidence |= {"codes_used": case.metric("codes_used"), "zeroed_share": gone}
    evidence["code_entropy"] = case.metric("code_entropy")
    message = (
        f"The range reaches to {number(far.largest)}, {times(far.ratio)} times as far as "
        f"{far.told} (over {far.far:g}): {percent(gone)} of all values become 0. These usual "
        f"ones have {db(kept[0])}, which is the number to trust; the whole has "
        f"{db(evidence['sqnr'])}."
    )
    return _rated(case, far, parts, Finding(NOTE, message, evidence | _by_power(case)))


def _rated(case: Case, far: Reach, parts: tuple[np.ndarray, np.ndarray], found: Finding) -> Finding:
    """The finding with its ways out, and how severe it is."""
    ways, tried = [*observers(case), *_cut(case, far)], _tried(case, parts)
    few = 1 - far.share <= FEW  # else they lie everywhere
    cuts, wide = tried(ways), tried(wider(case))
    each = remedies(case, finer(case) if few else (), whole(case))
    more = (*(fix for fix in each.fixes if fix.gain_db >= FROM[MEDIUM]), *wide.fixes)
    cuts = cuts.beside(more)
    level = _level(case, cuts, ways, found.evidence["usual_sqnr"])
    gone = found.evidence["zeroed_share"] > GONE
    level = max(level, MEDIUM, key=LEVELS.index) if gone else level
    said = found.message if cuts.fixes else f"{found.message} Cutting the others does not pay."
    tried_too = (*cuts.tried, *each.tried, *wide.tried)
    made = replace(found, severity=level, message=said, tried=tried_too)
    if yardstick(case) == OUTPUT or few:
        return replace(made, fixes=(*cuts.fixes, *more))
    return replace(made, fixes=more, analysis=cuts.fixes)  # many are not given up


def _level(case: Case, cuts: Remedies, ways: Ways, kept: float | None) -> str:
    """By the gain for the many where little is left to them, or by the gain for all."""
    if yardstick(case) == OUTPUT or kept is None:
        return cuts.severity
    most = next((level for level, below in LEFT.items() if kept < below), NOTE)
    cut = [fix.how for fix in cuts.fixes]  # a wider range may gain too, but is no cut
    of_all = remedies(case, [w for w in ways if how(case, w[1]) in cut], TENSOR).severity
    return max(milder(cuts.severity, most), of_all, key=LEVELS.index)


def _tried(case: Case, parts: tuple[np.ndarray, np.ndarray]) -> Callable[[Ways], Remedies]:
    """Ways at the output where that is known, else for the usual values."""
    if yardstick(case) == OUTPUT:
        return lambda ways: remedies(case, ways)
    return lambda ways: ranked(_traded(case, ways, parts))


def _cut(case: Case, far: Reach) -> Iterator[tuple[str, Setting]]:
    """The range of all that lies near enough to the usual values."""
    near = (sizes(case) <= far.end) & (case.cells.count[0] > 0)
    lo, hi = ends_of(case, near)
    if lo < hi:
        yield f"keep {interval(lo, hi)}", changed(case, observer=ManualObserver(lo, hi))


def _traded(case: Case, ways: Ways, parts: tuple[np.ndarray, np.ndarray]) -> Iterator[Fix]:
    """What each way gains for the usual values, and what it takes from the others.

    A way that costs the whole must gain 3 dB for the many.
    """
    before = _kept(case.row.quantizer, parts)
    for said, setting in ways:
        after = _kept(settled(case, setting), parts)
        if before[0] is None or after[0] is None:
            continue
        gain, of_all = after[0] - before[0], gained(case, setting, TENSOR)
        lost = of_all is not None and of_all < -LOSS
        if lost and 0 < gain < FROM[MEDIUM]:
            continue
        yield Fix(said + _trade(before[1], after[1]) * lost, gain, how(case, setting), USUAL)


def _trade(now: float | None, then: float | None) -> str:
    """What a cut takes from those beyond it, short enough to be read beside the action."""
    return f" (far values: {db(now).removesuffix(' dB')} to {db(then)})"


def _kept(made: Quantizer | None, parts: Iterable[np.ndarray]) -> list[float | None]:
    """SQNR of each part."""
    return [None if made is None else left([x], made) for x in parts]


def _told(case: Case) -> bool:
    """Whether masks, batches or channels explain that so many values are so much smaller."""
    batches = case.seen[BATCHES] if len(case.values.batches) > 1 else ()
    amax = [float(state.amax[0]) for state in batches if state.amax[0] > 0]
    if masked(case) or (amax and max(amax) > FAR * min(amax)):
        return True
    found = (other(case) for other in (outlier_channel, mixed_ranges))
    return any(one is not None and one.severity != NOTE for one in found)


def _by_power(case: Case) -> dict[str, list[float]]:
    """How many magnitudes lie in each half power of ten, the least ones together."""
    cells, size = case.cells, sizes(case)
    there = (size > 0) & (cells.count[0] > 0)
    at = np.floor(BINS * np.log10(size[there]))
    last = float(at.max())
    first = max(float(at.min()), last - BINS * DEEPEST)
    counts = np.bincount((np.maximum(at, first) - first).astype(np.int64), cells.count[0][there])
    edges = (first + np.arange(len(counts) + 1)) / BINS
    return {"powers": edges.tolist(), "values_per_power": counts.tolist()}


def _by_channel(case: Case) -> bool:
    """Whether OUTLIER-CHANNEL says so: it gives up where a lone value sets the step."""
    if BY_CHANNEL not in case.known:
        case.known[BY_CHANNEL] = outlier_channel(case) is not None
    return case.known[BY_CHANNEL]
