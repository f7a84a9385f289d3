"""What the pictures of a landscape share: rows as dots, their names, their words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.bars import Bar, bar
from qviz.figures.labels import CHARACTER, log_ticks
from qviz.figures.landscape_placer import Box, placed
from qviz.figures.numbers import decibels, interval, number, percent
from qviz.figures.rows import rank_of
from qviz.figures.theme import SIZE, Figure, Palette, escape, words
from qviz.metrics.base import overall
from qviz.metrics.reading import EXACT, LOSSLESS, read
from qviz.pipeline import Row

TALL = 17  # pixels of a name
WORN = 5.6  # pixels of a character that is not bold
YOU = "you"
LEADS, MANY = (1, 2, 5), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)  # ticks of a decade
DENSE = 3  # decades from which only some powers of ten are ticks


@dataclass(frozen=True)
class Dot:
    """One row on the landscape: its bar, and the share of elements and of error it clips.

    ``alike`` says that it has the codes of the landscape's grids; rows with others may lie
    above it.
    """

    bar: Bar
    clipped: float | None = None
    share: float | None = None
    rough: bool = False
    alike: bool = True

    @property
    def served(self) -> bool:
        """Whether it has a place on the landscape."""
        return self.bar.refused is None and (self.bar.value is not None or self.lossless)

    @property
    def lossless(self) -> bool:
        """Whether every element is a level."""
        return self.bar.text == LOSSLESS


def dot_of(row: Row, ends: tuple[int, int]) -> Dot:
    """A row as a dot; ``ends`` are the codes of the landscape's grids."""
    if row.totals is None:
        return Dot(bar(row))
    totals = overall(row.totals)
    clipped, part, whole = (
        read(name, totals)[0] for name in ("clipped_share", "clip_mse", "mse")
    )  # fmt: skip
    share = part.value / whole.value if part.value is not None and whole.value else None
    return Dot(bar(row), clipped.value, share, clipped.mark != EXACT, row.ends == ends)


def hover(dot: Dot, best: float | None) -> str:
    """Name, range, dB, distance from the best, share clipped."""
    b = dot.bar
    about = " (approximate)" if b.approximate else ""
    reached = "nothing is lost" if dot.lossless else decibels(b.value)
    lines = [f"<b>{escape(b.title)}</b>", interval(b.lo, b.hi), f"{reached}{about}"]
    if best is not None and b.value is not None:
        lines.append(f"{decibels(best - b.value)} below the best")
    if not dot.alike:
        lines.append("other codes than those of the picture")
    return "<br>".join([*lines, f"{percent(dot.clipped)} of the values clipped"])


def colours(dots: Sequence[Dot], highlights: Sequence[str], palette: Palette) -> list[str]:
    """Colour of each dot: highlights in their own, the rest grey."""
    ranks = [rank_of(dot.bar, highlights) for dot in dots]
    return [palette.edge if rank is None else palette.mark(rank) for rank in ranks]


def grey_first(dots: Sequence[Dot], highlights: Sequence[str]) -> list[Dot]:
    """Dots with a place, the highlighted ones last so that none covers them."""
    there = [dot for dot in dots if dot.served]
    return sorted(there, key=lambda dot: rank_of(dot.bar, highlights) is not None)


def marker(dots: Sequence[Dot], highlights: Sequence[str], palette: Palette) -> Figure:
    """Look of the dots: highlighted ones are larger; a rim parts those that touch."""
    bold = [rank_of(dot.bar, highlights) is not None for dot in dots]
    return {
        "size": [12 if strong else 8 for strong in bold],
        "color": colours(dots, highlights, palette),
        "opacity": 1,
        "line": {"color": palette.background, "width": 1},
    }


@dataclass(frozen=True)
class Frame:
    """A panel in pixels, with its axes as powers of ten (or plain): how points lie on it."""

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Axis coordinates to pixels, y down."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return across * self.width, (1 - up) * self.height


@dataclass(frozen=True)
class Name:
    """A name at a place in axis coordinates (a logarithm's on a log axis)."""

    text: str
    color: str
    x: float
    y: float
    bold: bool = False


def names(
    named: Sequence[Name],
    frame: Frame,
    others: Sequence[tuple[float, float]],
    palette: Palette,
    taken: Sequence[Box] = (),
) -> list[Figure]:
    """Each name as an annotation with a leader, where it covers least."""
    boxes = [_box(name, frame) for name in named]
    points = [(box.x, box.y) for box in boxes] + [frame.pixel(*other) for other in others]
    spots = placed(boxes, points, (frame.width, frame.height), taken)
    return [
        words(
            f"<b>{escape(name.text)}</b>" if name.bold else escape(name.text), name.color,
            x=name.x, y=name.y, xref="x", yref="y", showarrow=True, arrowhead=0, arrowwidth=1,
            arrowcolor=palette.edge, ax=round(spot.x - box.x), ay=round(spot.y - box.y),
            standoff=4, bgcolor=palette.background, borderpad=1, opacity=0.92,
        )
        for name, box, spot in zip(named, boxes, spots, strict=True)
    ]  # fmt: skip


def _box(name: Name, frame: Frame) -> Box:
    letter = CHARACTER if name.bold else WORN
    return Box(*frame.pixel(name.x, name.y), letter * len(name.text) + SIZE / 2, TALL)


def log_ticks_of(view: tuple[float, float], sign: str) -> Figure:
    """Ticks of a log axis with a sign before each, not too many; ``view`` in powers of ten."""
    low, high = min(view), max(view)
    if high - low >= DENSE:
        ticks = log_ticks((low, high))
    else:
        leads = LEADS if high - low >= 1 else MANY
        values = [lead * 10.0**p for p in range(math.floor(low), math.ceil(high)) for lead in leads]
        inside = [value for value in values if low <= math.log10(value) <= high]
        ticks = {"tickvals": inside, "ticktext": [number(value) for value in inside]}
    return ticks | {"ticktext": [sign + text for text in ticks["ticktext"]]}
