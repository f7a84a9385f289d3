"""Names of lines with short leaders, where they cover neither each other nor a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.figures.labels import CHARACTER
from qviz.figures.theme import Figure, Palette, escape, words
from qviz.pipeline.fitting import Path

LEADS = (26, -26, 48, -48, 72, -72, 100, -100)  # pixels from a line to its name
PARTS = (0.0, -0.15, 0.15, -0.3, 0.3)  # of the line, tried around the place meant for the name
OVER, UNDER = 1000.0, 60.0  # cost of words over words or the frame, of a line under words
NARROW = 270  # pixels of the panel on a phone
Box = tuple[float, float, float, float]  # left, right, low, high in pixels


@dataclass(frozen=True)
class Named:
    """A path with the words beside it: the rule's name, and what it does to the gradient.

    ``factor`` is what the gradient is multiplied by.
    """

    name: str
    how: str
    path: Path
    rank: int
    factor: float = 1.0


def leaders(
    shown: Sequence[Named],
    view: tuple[float, float],
    steps: int,
    plot: tuple[int, int],
    palette: Palette,
) -> list[Figure]:
    """One annotation per rule, at the path of which most is seen.

    ``plot`` are the pixels of the panel, ``view`` the powers of ten that it spans.
    """
    scale = plot[1] / (view[1] - view[0])
    lines = [
        np.stack([
            np.arange(one.path.clips.size) * plot[0] / max(steps, 1),
            (np.log10(one.path.clips) - view[0]) * scale,
        ])
        for one in shown
    ]  # fmt: skip
    taken: list[Box] = []
    made: list[Figure] = []
    seen = [int(((y >= 0) & (y <= plot[1])).sum()) for _, y in lines]
    ranks = [one.rank for one in shown]
    for rank in dict.fromkeys(ranks):
        at = max((i for i in range(len(shown)) if ranks[i] == rank), key=seen.__getitem__)
        one, line = shown[at], lines[at]
        place = _Place(one, lines, taken, plot)
        step, lead, box = place.freest(line, 0.3 + 0.16 * one.rank)
        taken.append(box)
        made.append(
            words(
                f"<b>{escape(one.name, 24)}</b> {escape(one.how, 40)}", palette.mark(one.rank),
                x=step, y=math.log10(float(one.path.clips[step])), xref="x", yref="y",
                showarrow=True, arrowhead=0, arrowwidth=1, arrowcolor=palette.mark(one.rank),
                ax=10, ay=-lead, xanchor="left", standoff=2,
            )
        )  # fmt: skip
    return made


@dataclass(frozen=True, eq=False)
class _Place:
    """What a name must keep clear of."""

    one: Named
    lines: Sequence[np.ndarray]
    taken: Sequence[Box]
    plot: tuple[int, int]

    def freest(self, line: np.ndarray, share: float) -> tuple[int, int, Box]:
        """Step, lead and box of the cheapest of all places tried."""
        width = CHARACTER * (len(self.one.name) + len(self.one.how) + 1)
        seen = np.flatnonzero((line[1] >= 0) & (line[1] <= self.plot[1]))
        seen = seen if seen.size else np.arange(1)  # a leader must start on the picture
        last, tried = seen.size - 1, []
        for part in PARTS:
            step = int(seen[min(max(round((share + part) * last), 0), last)])
            x, y = line[:, step]
            for lead in LEADS:
                box = (x + 10, x + 10 + width, y + lead - 9, y + lead + 9)
                tried.append((self.cost(box) + abs(lead), step, lead, box))
        return min(tried)[1:]

    def cost(self, box: Box) -> float:
        """How much a box covers."""
        left, right, low, high = box
        cost = OVER * (right > self.plot[0] or low < 0 or high > self.plot[1])
        cost += UNDER * (left * NARROW / self.plot[0] + right - left > NARROW)
        for a, b, c, d in self.taken:
            cost += OVER * (a < right and b > left and c < high and d > low)
        for x, y in self.lines:
            under = (x > left) & (x < right) & (y > low - 4) & (y < high + 4)
            cost += UNDER * bool(under.any())
        return cost
