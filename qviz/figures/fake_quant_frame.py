"""What the small multiples of the Fake quant page share: range, view and ticks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.numbers import number
from qviz.figures.theme import Figure

ROOM = 0.22  # of the asked width, left free on either side
FARTHEST = 1.5  # asked widths beyond the asked range that a grid may pull the view
CLOSE = 0.13  # of the view: ticks nearer than this to an end are left out


@dataclass(frozen=True)
class Frame:
    """What all small multiples share: the range asked for, the view, and where the data lies."""

    lo: float
    hi: float
    view: tuple[float, float]
    data: tuple[float, float] | None = None


def framed(
    asked: tuple[float, float],
    reached: Sequence[tuple[float, float]],
    data: tuple[float, float] | None = None,
) -> Frame:
    """A view that holds the asked range, 0, and what the grids cover of it, with some room."""
    lo, hi = asked
    width = (hi - lo) or abs(hi) or 1.0
    low = min([lo, *(end for end, _ in reached), 0.0])
    high = max([hi, *(end for _, end in reached), 0.0])
    low, high = max(low, min(lo - FARTHEST * width, 0.0)), min(high, max(hi + FARTHEST * width, 0))
    return Frame(lo, hi, (low - ROOM * width, high + ROOM * width), data)


def ticks(frame: Frame) -> Figure:
    """The ends asked for and 0, where they do not crowd."""
    width = frame.view[1] - frame.view[0]
    ends = [frame.lo, frame.hi] if frame.hi - frame.lo > CLOSE * width else [frame.hi]
    free = all(abs(end) > CLOSE * width for end in ends)
    values = sorted([*ends, 0.0]) if free and frame.view[0] <= 0 <= frame.view[1] else ends
    return {"tickvals": values, "ticktext": [number(v) for v in values]}
