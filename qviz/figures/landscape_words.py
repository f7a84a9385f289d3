"""The landscape in words: what to keep, how flat it is there, how it was measured."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.captions import codes, values
from qviz.figures.landscape_marks import Dot
from qviz.figures.landscape_traces import PREFIX
from qviz.figures.numbers import decibels, interval, number
from qviz.figures.theme import clean
from qviz.pipeline import Comparison
from qviz.pipeline.landscape_views import BOTH, Field, Hill, clip_of

PLAIN = "minmax"
TIE = 0.1  # dB below which the plainest range is kept
RIPPLES = (
    "Each point is one choice of lower and upper bound; on the dashed line clipping and rounding "
    "cost the same; the ripples are real, the zero point snaps to a code."
)
ONE_SIDED = "All values lie on one side of 0, so only the far bound moves."


def heading(best: Dot | None, dots: Sequence[Dot], side: str | None) -> str:
    """The range to keep, its SQNR, and what that gains over MinMax."""
    if best is None:
        return "No range can be placed here: the table says why"
    plain = next((dot for dot in dots if dot.bar.spelling == PLAIN and dot.served), None)
    if best.lossless:
        return f"Keep {kept(best, side)}: nothing is lost"
    reached = f"Keep {kept(best, side)}: {decibels(best.bar.value)}"
    if plain is None or plain.bar.value is None or best.bar.value is None:
        return reached
    gain = best.bar.value - plain.bar.value
    if gain <= TIE:
        return f"Keep MinMax, {kept(plain, side)}: no range gains more than {TIE} dB"
    return f"{reached}, {decibels(gain)} more than MinMax"


def kept(dot: Dot, side: str | None) -> str:
    """``±5.44`` where one clip moves both ends, else both ends."""
    if side == BOTH:
        return f"±{number(clip_of(side, dot.bar.lo, dot.bar.hi))}"
    return interval(dot.bar.lo, dot.bar.hi)


def caption(terrain: Hill | Field, comparison: Comparison, about: str, exact: bool) -> str:
    """How to read the picture, what it was measured on, and how sure it is.

    ``exact`` says whether the picture itself is; the rows' numbers say so by themselves.
    """
    read = _flat(terrain) if isinstance(terrain, Hill) else RIPPLES
    n = values(int(comparison.facts.n.sum()))
    what = f"{clean(about)}, {n}, {codes(comparison.target)}."
    rows = {row.totals.made for row in comparison.served if row.totals is not None}
    sure = rows <= {"exact"}
    if exact == sure:
        how = "Numbers are exact." if exact else "Numbers are approximate, read off the sketch."
    else:
        how = "The picture is read off the sketch; the numbers of the dots are exact."
        how = how if sure else "The picture is exact; the numbers of the dots are approximate."
    return " ".join([read, what, how])


def _flat(hill: Hill) -> str:
    sign, side = PREFIX.get(hill.side, ""), [] if hill.side == BOTH else [ONE_SIDED]
    low, high = (None if end is None else sign + number(end) for end in hill.flat)
    if low and high:
        span = f"Anything from {low} to {high}"
    elif low or high:
        span = f"Anything from {low} on" if low else f"Anything up to {high}"
    else:
        span = "Every clip in view"
    return " ".join([*side, f"{span} is within half a decibel of the best."])
