"""Where words go so that they never collide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.numbers import number, power_of_ten
from qviz.figures.theme import SIZE, Figure, Palette, words

GAP = 15  # pixels from one line of words to the next
CHARACTER = 5.9  # pixels of a bold character
NARROW = 170  # pixels of the narrowest plot
LEADER = 14  # pixels from a line's end to its name


def width_of(names: Sequence[str], least: int = 56, most: int = 124) -> int:
    """Pixels of a margin that holds the longest name."""
    longest = max((len(name) for name in names), default=0)
    return min(max(20 + round(CHARACTER * longest), least), most)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least ``gap`` apart and as near as can be to those wanted, inside [low, high].

    Least squares: places that crowd form a block around their common mean. Where all do not
    fit, they stand closer.
    """
    if len(wanted) > 1:
        gap = min(gap, (high - low) / (len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    blocks: list[list[float]] = []
    for rank, i in enumerate(order):
        blocks.append([wanted[i] - rank * gap])
        while len(blocks) > 1 and _mean(blocks[-2]) > _mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    ceiling = high - (len(wanted) - 1) * gap
    level = [min(max(_mean(block), low), max(ceiling, low)) for block in blocks for _ in block]
    placed = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        placed[i] = level[rank] + rank * gap
    return placed


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True)
class End:
    """The last point of a named line: x and y in axis coordinates (a logarithm's on a log axis)."""

    name: str
    color: str
    x: float
    y: float


def named_ends(ends: Sequence[End], view: tuple[float, float], height: int) -> list[Figure]:
    """Each line's name right of its end, in its colour, with a short leader.

    ``view`` is the y axis in axis coordinates, ``height`` its pixels.
    """
    low, high = view
    scale = height / (high - low)
    wanted = [(end.y - low) * scale for end in ends]
    placed = spread(wanted, GAP, 0.0, float(height))
    return [
        words(
            f"<b>{end.name}</b>", end.color, x=end.x, y=end.y,
            xref="x", yref="y", showarrow=True, arrowhead=0, arrowwidth=1, arrowcolor=end.color,
            ax=LEADER, ay=at - place, xanchor="left", standoff=2,
        )
        for end, at, place in zip(ends, wanted, placed, strict=True)
    ]  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Words above a panel: ``at`` is the share of the panel's width they stand over."""

    text: str
    color: str
    at: float
    bold: bool = False

    @property
    def anchor(self) -> str:
        """The side that keeps the words inside the frame."""
        return "left" if self.at < 0.33 else "right" if self.at > 0.67 else "center"

    @property
    def span(self) -> tuple[float, float]:
        """First and last pixel on the narrowest plot."""
        width, x = CHARACTER * len(self.text) + SIZE, self.at * NARROW
        shift = {"left": 0.0, "right": 1.0, "center": 0.5}[self.anchor]
        return x - shift * width, x + (1 - shift) * width


def lines_above(places: Sequence[Place]) -> list[int]:
    """The line, counted upwards from the panel, of each place: no two on a line touch."""
    lines: list[list[tuple[float, float]]] = []
    chosen = []
    for left, right in (place.span for place in places):
        free = (
            n for n, line in enumerate(lines) if all(right < a or left > b for a, b in line)
        )  # fmt: skip
        line = next(free, len(lines))
        if line == len(lines):
            lines.append([])
        lines[line].append((left, right))
        chosen.append(line)
    return chosen


def above(place: Place, line: int, palette: Palette) -> Figure:
    """The words of a place as an annotation, on a ground that hides the lines of others."""
    text = f"<b>{place.text}</b>" if place.bold else place.text
    return words(
        text, place.color, x=place.at, y=1.0,
        xanchor=place.anchor, yanchor="bottom", yshift=line * GAP,
        bgcolor=palette.background, borderpad=1,
    )  # fmt: skip


def log_ticks(view: tuple[float, float]) -> Figure:
    """Ticks of a logarithmic axis, ``view`` in powers of ten: 1, 2, 5 or whole powers."""
    low, high = view
    stride = max(1, math.ceil((high - low) / 5))
    powers = range(math.floor(low), math.ceil(high) + 1)
    leads = (1, 2, 5) if high - low < 2 else (1,)
    kept = [p for p in powers if len(leads) > 1 or p % stride == 0]
    wide = len(leads) == 1 and max(abs(low), abs(high)) > 3
    values = [lead * 10.0**p for p in kept for lead in leads]
    inside = [v for v in values if low <= math.log10(v) <= high]
    text = [power_of_ten(round(math.log10(v))) if wide else number(v) for v in inside]
    return {"tickvals": inside, "ticktext": text}


def ink_of(palette: Palette, rank: int) -> str:
    """Colour of a name: highlights in their own, the rest muted (their marks are too pale)."""
    return palette.muted if rank >= len(palette.highlights) else palette.highlights[rank]
