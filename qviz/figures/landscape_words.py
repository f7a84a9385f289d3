"""The landscape in words: what to keep, how flat it is there, how it was measured."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.captions import codes, values
from qviz.figures.landscape_marks import Dot
from qviz.figures.landscape_traces import PREFIX
from qviz.figures.numbers import decibels, interval, number, until_they_differ
from qviz.figures.theme import clean
from qviz.pipeline import Comparison
from qviz.pipeline.landscape_views import BOTH, Field, Hill, clip_of

PLAIN = "minmax"
TIE = 0.1  # dB below which the plainest range is kept
RIPPLES = (
    "Each point is one choice of lower and upper bound; on the dashed line clipping and rounding "
    "cost the same; the ripples are real, the zero point snaps to a code."
)
RIPPLING = "No stretch is flat: the curve goes up and down by about {}, again and again."
BAND = "It ripples inside the pale band."
NEAR = 1.02  # one end of a flat stretch over the other, from which it is one
ONE_SIDED = "All values lie on one side of 0, so only the far bound moves."


def named(best: Dot | None, dots: Sequence[Dot]) -> Dot | None:
    """The range that the heading names: the best, or MinMax where that is hardly worse."""
    plain = _plain(dots)
    if best is None or best.lossless or plain is None:
        return best
    if plain.bar.value is None or best.bar.value is None:
        return best
    return plain if best.bar.value - plain.bar.value <= TIE else best


def _plain(dots: Sequence[Dot]) -> Dot | None:
    return next((dot for dot in dots if dot.bar.spelling == PLAIN and dot.served), None)


def heading(best: Dot | None, dots: Sequence[Dot], side: str | None) -> str:
    """The range to keep, its SQNR, and what that gains over MinMax."""
    if best is None:
        return "No range can be placed here: the table says why"
    plain = _plain(dots)
    if best.lossless:
        return f"Keep {kept(best, side)}: nothing is lost"
    reached = f"Keep {kept(best, side)}: {decibels(best.bar.value)}"
    if plain is None or plain.bar.value is None or best.bar.value is None:
        return reached
    if named(best, dots) is plain and best is not plain:
        return f"Keep MinMax, {kept(plain, side)}: no range gains more than {TIE} dB"
    gain = best.bar.value - plain.bar.value
    return f"{reached}, {decibels(gain)} more than MinMax" if gain > 0 else reached


def kept(dot: Dot, side: str | None) -> str:
    """``±5.44`` where one clip moves both ends, else both ends."""
    if side == BOTH:
        return f"±{number(clip_of(side, dot.bar.lo, dot.bar.hi))}"
    return interval(dot.bar.lo, dot.bar.hi)


def caption(
    terrain: Hill | Field,
    comparison: Comparison,
    about: str,
    exact: bool,
    keep: Dot | None = None,
) -> str:
    """How to read the picture, what it was measured on, and how sure it is.

    ``exact`` says whether the picture itself is; the rows' numbers say so by themselves. ``keep``
    is the range that the heading names: a flat stretch holds it.
    """
    read = _flat(terrain, keep) if isinstance(terrain, Hill) else RIPPLES
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


def _flat(hill: Hill, keep: Dot | None) -> str:
    sign, side = PREFIX.get(hill.side, ""), [] if hill.side == BOTH else [ONE_SIDED]
    clip = hill.best
    if keep is not None and keep.served and keep.alike:
        clip = clip_of(hill.side, keep.bar.lo, keep.bar.hi)
    low, high = hill.flat_at(clip)
    band = [BAND] if hill.ripples else []
    if hill.ripples and low and high and high < NEAR * low:
        return " ".join([*side, RIPPLING.format(decibels(hill.swing)), *band])
    return " ".join(
        [*side, f"{_span(low, high, sign)} is within half a decibel of the best.", *band]
    )


def _span(low: float | None, high: float | None, sign: str) -> str:
    if low and high:
        return "Anything from {1}{0[0]} to {1}{0[1]}".format(until_they_differ(low, high), sign)
    if low:
        return f"Anything from {sign}{number(low)} on"
    return f"Anything up to {sign}{number(high)}" if high else "Every clip in view"
