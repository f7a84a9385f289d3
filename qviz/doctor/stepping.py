"""Whether the step is one that this data asks for: by hand it may be any."""

from __future__ import annotations

import numpy as np

from qviz.doctor.case import Case
from qviz.doctor.channels import Channels
from qviz.doctor.masks import unmasked
from qviz.doctor.rules.known_range import softmax_rows
from qviz.doctor.ways import by_hand

GIVEN = 4.0  # times the step of a range of this data, from which one given by hand is too large
WIDER = 8.0  # the same of a step that an observer chose: a start for training may be that wide
HALF = 0.5  # of what the median quiet channel reaches on a side, below which it is cut off


def most_times(case: Case) -> float:
    """How many times the step of a range of this data the step may be."""
    return GIVEN if by_hand(case) else WIDER


def times_of_own(case: Case) -> float:
    """The step over that of a range of this data, of the median group; 0 without even steps.

    The range is what is data, widened to hold 0; rows of a softmax reach to 1.
    """
    bare = unmasked(case)
    made, totals = bare.row.quantizer, bare.row.totals
    if made is None or made.step is None or totals is None:
        return 0.0
    lo, hi = np.minimum(totals.x_min, 0.0), np.maximum(totals.x_max, 0.0)
    if softmax_rows(case) is not None:
        hi = np.maximum(hi, 1.0)
    width = 2 * np.maximum(-lo, hi) if case.spec.symmetric else hi - lo
    there = np.isfinite(width) & (width > 0)
    low, high = made.ends
    own = width[there] / (high - low)
    return float(np.median(np.broadcast_to(made.step, width.shape)[there] / own)) if own.size else 0


def forced(case: Case, there: Channels, times: float) -> bool:
    """Whether the step is as wide as loud channels make it, and gives the others their range.

    The covered range must reach ``times`` the median channel, must not be far wider than the
    data, and must leave no side of the quiet channels out but for less than a step: else these
    suffer from something else.
    """
    covered = case.row.covered
    if covered is None:
        return True
    lo, hi = float(covered.lo.min()), float(covered.hi.max())
    if max(-lo, hi) < times * there.median or times_of_own(case) > most_times(case):
        return False
    quiet, step = ~there.loud & (there.facts.finite > 0), _widest(case)
    low, high = (np.median(end[quiet]) for end in (there.facts.lo, there.facts.hi))
    return bool(lo - step <= HALF * min(low, 0) and hi + step >= HALF * max(high, 0))


def _widest(case: Case) -> float:
    """The step, by which a range may be moved so that 0 is a level; 0 without even steps."""
    made = case.row.quantizer
    return 0.0 if made is None or made.step is None else float(np.max(made.step))
