"""The first look at a tensor: where its middle 99.9 % lie, how far it reaches, six facts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.figures.bins import MIDDLE, full, linear_bins, one_group
from qviz.figures.captions import not_finite, values
from qviz.figures.histogram import count_axis, steps
from qviz.figures.numbers import count, integer, interval, number, percent
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment, words
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMaxState

HEIGHT = 226  # pixels
WELL = 2.0  # times the middle that the extremes may reach for a tensor to be well behaved
FAR = 50.0  # times the median magnitude, from which the largest one stands out
NARROW = 0.25  # of the way from 0: below it most codes are not used
MANY = 1000  # values from which a share of 99.9 % means something
SIDE = 0.06  # of the view's width: an extreme nearer to its end is written inside


@dataclass(frozen=True, eq=False)
class Overview:
    """What is told of a tensor at first sight; all groups together.

    ``middle`` holds the middle 99.9 % of the finite elements, ``typical`` is the median
    magnitude; None where there is no finite element. ``first_odd`` is the flat index of the
    first NaN or infinity.
    """

    facts: MinMaxState
    cells: Cells
    middle: tuple[float, float] | None
    typical: float | None
    first_odd: int | None = None

    @staticmethod
    def of(facts: MinMaxState, cells: Cells, first_odd: int | None = None) -> Overview:
        """Read off the extremes and the cells of one tensor."""
        one = one_group(cells)
        if not one.total[0]:
            return Overview(facts, one, None, None, first_odd)
        lo, hi = (float(one.quantile(s)[0]) for s in ((1 - MIDDLE) / 2, (1 + MIDDLE) / 2))
        return Overview(facts, one, (lo, hi), median_magnitude(one), first_odd)

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest finite element."""
        return float(self.facts.lo.min()), float(self.facts.hi.max())

    @property
    def largest(self) -> float:
        """Largest magnitude."""
        return float(self.facts.amax.max(initial=0.0))

    @property
    def heading(self) -> str:
        """The finding in one sentence, plain words."""
        n, finite = int(self.facts.n.sum()), int(self.facts.finite.sum())
        if n == 0:
            return "This tensor has no elements"
        if finite == 0:
            return f"None of the {values(n)} is finite"
        if finite < n:
            where = "" if self.first_odd is None else f", first at flat index {self.first_odd:,}"
            return f"{not_finite(self.facts)}{where}"
        lo, hi = self.reach
        if lo == hi:
            return f"All {values(n)} are {number(lo)}" if n > 1 else f"One value: {number(lo)}"
        return self._spread(lo, hi)

    def _spread(self, lo: float, hi: float) -> str:
        middle, ends = self.middle or (lo, hi), interval(lo, hi)
        inner = f"99.9 % of the values lie in {interval(*middle)}"
        if self.largest > WELL * max(abs(middle[0]), abs(middle[1])):
            return f"{inner}, but the tensor reaches {ends}"
        if lo > 0 or hi < 0:
            share = (hi - lo) / max(abs(lo), abs(hi))
            if share < NARROW:
                return f"All values lie in {ends}: {percent(share)} of the way from 0"
        if self.typical and self.largest > FAR * self.typical:
            ratio = number(self.largest / self.typical)
            return f"All values lie in {ends}; the largest is {ratio} times the typical one"
        if int(self.facts.finite.sum()) < MANY:
            return f"All values lie in {ends}"
        return f"Well behaved: {inner}, all in {ends}"

    @property
    def cards(self) -> tuple[tuple[str, str], ...]:
        """Number of values, largest over typical magnitude, NaN and infinities: key and text."""
        odd = int((self.facts.n - self.facts.finite).sum())
        ratio = self.largest / self.typical if self.typical else None
        return (
            ("values", count(int(self.facts.n.sum()))),
            ("largest_typical", f"{number(ratio)} ×" if ratio else number(None)),
            ("not_finite", integer(odd) if odd else "none"),
        )


def median_magnitude(cells: Cells) -> float | None:
    """Median of the magnitudes of one group's elements; None without any.

    That of a wide cell's middle where the elements are only counted.
    """
    size = np.abs(cells.lo[0] / 2 + cells.hi[0] / 2)
    order = np.argsort(size, kind="stable")
    below = np.cumsum(cells.count[0][order])
    if not below.size or not below[-1]:
        return None
    return float(size[order][np.searchsorted(below, (below[-1] + 1) // 2)])


def overview(seen: Overview, palette: Palette) -> Figure:
    """Histogram over the full range with a bracket over the middle 99.9 %, 226 pixels high."""
    bins = linear_bins(seen.cells, *full(seen.cells), count=400)
    made = layout(palette, HEIGHT, Margins(top=26), uirevision="overview")
    made["xaxis"] = axis(palette, "tensor value", grid=True) | {"range": list(bins.view)}
    made["yaxis"] = count_axis(bins, palette)
    made["shapes"], made["annotations"] = [], _ends(seen, bins.view, palette)
    many = int(seen.facts.finite.sum()) >= MANY
    if many and seen.middle is not None and seen.middle[0] < seen.middle[1]:
        blue = palette.highlights[0]
        made["shapes"] = _bracket(seen.middle, blue)
        centre = sum(seen.middle) / 2
        made["annotations"] += [
            words("99.9 % of the values", blue, x=centre, y=1, xref="x", yanchor="bottom")
        ]
    return {"data": [steps(bins, palette)], "layout": made}


def _bracket(middle: tuple[float, float], color: str) -> list[Figure]:
    dotted = {"line": {"color": color, "width": 1.5, "dash": "dot"}}
    sides = [segment(color, (end, end), (0, 1), **dotted) for end in middle]
    return [segment(color, middle, (1, 1), line={"color": color, "width": 2}), *sides]


def _ends(seen: Overview, view: tuple[float, float], palette: Palette) -> list[Figure]:
    """Smallest and largest element, written where they lie."""
    (lo, hi), width = seen.reach, view[1] - view[0]
    notes = []
    for name, value, inward in (("min", lo, "left"), ("max", hi, "right")):
        near = min(value - view[0], view[1] - value) < SIDE * width
        anchor = inward if near else "center"
        text = f"{name} {number(value)}"
        place = {"xref": "x", "xanchor": anchor, "yanchor": "bottom"}
        notes.append(words(text, palette.muted, x=value, y=0.1, **place))
    return notes
