"""What a landscape shows: a hill over one clip, or a field over both ends of the range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qviz.observers.landscape import Landscape
from qviz.pipeline.landscape import Parts, cost, even_parts, parts, unsnapped
from qviz.pipeline.turning import turns_of
from qviz.stats.minmax import MinMaxState

BOTH, UPPER, LOWER = "both", "upper", "lower"
SIDES = {BOTH: (-1.0, 1.0), UPPER: (0.0, 1.0), LOWER: (-1.0, 0.0)}  # of the clip: lo, hi
POINTS, COARSE, REFINED = 160, 64, 24  # clips of a hill: drawn, to find the view, near the best
FINEST, ROUGHEST = 60, 16  # ends of a field, each
BUDGET_NS = 200e6  # of a field, roughly
AIR = 1.25  # of the view beyond the data
DEEP, STEEP = 8.0, 12.0  # the best clip over the least in view at most; dB lost at a field's end
NARROWEST, WIDEST = 2.0**-12, 4.0  # clips looked at, as shares of the data's end
FLAT = 0.5  # dB
RIPPLED, DENSER = 8, 8  # turns from which a curve ripples; clips for each of a rippling one
CALM = 6.0  # dB by which a range that loses nothing stands above all others


@dataclass(frozen=True, eq=False)
class Hill:
    """Parts of the error over the clip, ascending; ``side`` says which ends it moves.

    ``both`` keeps [-clip, clip], ``upper`` [0, clip] and ``lower`` [-clip, 0].
    """

    side: str
    clip: np.ndarray
    parts: Parts

    @property
    def best(self) -> float:
        """The clip with the highest SQNR."""
        return float(self.clip[int(self.parts.sqnr.argmax())])

    def range_of(self, clip: float) -> tuple[float, float]:
        """The range that a clip keeps: lo, hi."""
        low, high = SIDES[self.side]
        return low * clip + 0.0, high * clip + 0.0

    @property
    def flat(self) -> tuple[float | None, float | None]:
        """Ends of the clips within half a decibel of the best; None where beyond the view."""
        return self.flat_at(self.best)

    @cached_property
    def turns(self) -> np.ndarray:
        """Heights where the curve turns by more than half a decibel: one where it is one hill."""
        return turns_of(raised(self.parts.sqnr), FLAT)

    @property
    def ripples(self) -> bool:
        """Whether the curve goes up and down again and again."""
        return len(self.turns) >= RIPPLED

    @property
    def swing(self) -> float:
        """By how many dB a curve that ripples goes up and down: the median of all times."""
        return float(np.median(np.abs(np.diff(self.turns)))) if len(self.turns) > 1 else 0.0

    def flat_at(self, clip: float) -> tuple[float | None, float | None]:
        """Ends of the clips around ``clip`` that lose at most half a decibel against it."""
        height, at = raised(self.parts.sqnr), int(np.abs(self.clip - clip).argmin())
        low = np.flatnonzero(height[:at] < height[at] - FLAT)
        high = np.flatnonzero(height[at:] < height[at] - FLAT)
        return (
            self._crossing(height, int(low[-1]), at) if low.size else None,
            self._crossing(height, at + int(high[0]), at) if high.size else None,
        )

    def _crossing(self, height: np.ndarray, outside: int, at: int) -> float:
        inside = outside + (1 if outside < at else -1)
        goal = height[at] - FLAT
        part = (goal - height[outside]) / (height[inside] - height[outside])
        ends = np.log(self.clip[[outside, inside]])
        return float(np.exp(ends[0] + part * (ends[1] - ends[0])))


@dataclass(frozen=True, eq=False)
class Field:
    """SQNR in dB over both ends, (upper, lower), ends as distances from 0, ascending.

    ``balance`` is 10 log10 of clipping over rounding error where 0 need not be a level, cut to
    [-30, 30] dB: 0 where both cost the same.
    """

    lower: np.ndarray
    upper: np.ndarray
    sqnr: np.ndarray
    balance: np.ndarray

    @property
    def best(self) -> tuple[float, float]:
        """The range with the highest SQNR: lo, hi."""
        row, column = np.unravel_index(int(self.sqnr.argmax()), self.sqnr.shape)
        return -float(self.lower[column]), float(self.upper[row])


def side_of(spread: MinMaxState, symmetric: bool) -> str | None:
    """Which ends one clip moves: both of symmetric codes, the far one of one-sided data.

    None where both ends move by themselves.
    """
    if symmetric:
        return BOTH
    if spread.lo[0] >= 0:
        return UPPER
    return LOWER if spread.hi[0] <= 0 else None


def clip_of(side: str, lo: float, hi: float) -> float:
    """The clip that a range comes to: its farther end, among those that the clip moves."""
    low, high = SIDES[side]
    return max(low * lo, high * hi, 0.0)


def hill(landscape: Landscape, side: str, far: float, wanted: Sequence[float] = ()) -> Hill:
    """The hill over a view that holds the best clip, the data's end ``far`` and most ``wanted``."""
    found = _hill(landscape, side, far * np.geomspace(NARROWEST, AIR, COARSE))
    view = _view(found.best, far, wanted, found.best / DEEP)
    clip = np.geomspace(*view, POINTS)
    first = _hill(landscape, side, clip)
    at = int(first.parts.sqnr.argmax())
    near = np.geomspace(clip[max(at - 1, 0)], clip[min(at + 1, POINTS - 1)], REFINED)
    if first.ripples:  # finer than what is drawn, else the points stand wherever they fall
        near = np.geomspace(*view, DENSER * POINTS)
    rows = [clip for clip in wanted if view[0] <= clip <= view[1]]
    return _hill(landscape, side, np.union1d(np.union1d(clip, near), rows))


def _hill(landscape: Landscape, side: str, clip: np.ndarray) -> Hill:
    low, high = SIDES[side]
    return Hill(side, clip, parts(landscape, low * clip + 0.0, high * clip + 0.0))


def _view(best: float, far: float, wanted: Sequence[float], least: float) -> tuple[float, float]:
    """First and last clip: ``least``, the best and the data's end, and what is wanted near them."""
    low, high = max(least, best / DEEP), max(AIR * far, AIR * best)
    near = [clip for clip in wanted if low / 4 < clip < WIDEST * far]
    return min([low, *(clip / 1.1 for clip in near)]), max([high, *(1.1 * c for c in near)])


def field(
    landscape: Landscape, spread: MinMaxState, wanted: Sequence[tuple[float, float]] = ()
) -> Field:
    """The field over a view that holds the best range, the data and most ranges ``wanted``."""
    far = -float(spread.lo[0]), float(spread.hi[0])
    coarse = [end * np.geomspace(NARROWEST, AIR, ROUGHEST) for end in far]
    low, high = _field(landscape, *coarse).best
    least = _least(landscape, low, high, far)
    count = int(np.clip(np.sqrt(BUDGET_NS / cost(landscape)), ROUGHEST, FINEST))
    lower = np.geomspace(*_view(-low, far[0], [-lo for lo, _ in wanted], least[0]), count)
    upper = np.geomspace(*_view(high, far[1], [hi for _, hi in wanted], least[1]), count)
    return _field(landscape, lower, upper)


def _least(
    landscape: Landscape, low: float, high: float, far: tuple[float, float]
) -> tuple[float, float]:
    """Least end of a field on each side: 12 dB lost, the other end at its best."""
    found = []
    for at, end in enumerate(far):
        tried = end * np.geomspace(NARROWEST, AIR, COARSE)
        ends = (-tried, np.full(COARSE, high)) if at == 0 else (np.full(COARSE, low), tried)
        height = raised(parts(landscape, *ends).sqnr)
        found.append(float(tried[np.flatnonzero(height >= height.max() - STEEP)[0]]))
    return found[0], found[1]


def _field(landscape: Landscape, lower: np.ndarray, upper: np.ndarray) -> Field:
    low, high = (v.ravel() for v in np.meshgrid(-lower, upper))
    sqnr = parts(landscape, low, high).sqnr
    apart = even_parts(landscape.cells, unsnapped(low, high, landscape.target.spec.levels))
    with np.errstate(all="ignore"):
        balance = 10 * (np.log10(apart.clipping) - np.log10(apart.rounding))
    balance = np.clip(np.nan_to_num(balance, nan=0.0, posinf=30.0, neginf=-30.0), -30.0, 30.0)
    shape = (len(upper), len(lower))
    return Field(lower, upper, sqnr.reshape(shape), balance.reshape(shape))


def raised(sqnr: np.ndarray) -> np.ndarray:
    """SQNR for a picture: what loses nothing stands 6 dB above the rest, NaN lies lowest."""
    finite = sqnr[np.isfinite(sqnr)]
    top, low = (float(finite.max()), float(finite.min())) if finite.size else (0.0, 0.0)
    return np.nan_to_num(sqnr, nan=low, posinf=top + CALM, neginf=low)
