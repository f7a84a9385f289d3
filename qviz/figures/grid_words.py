"""What the Grid page says: the finding, and how to read the picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.figures.captions import codes as scheme
from qviz.figures.captions import not_finite, values
from qviz.figures.numbers import integer, interval, percent
from qviz.figures.theme import clean
from qviz.metrics.base import Totals
from qviz.metrics.reading import EXACT
from qviz.pipeline import Settled
from qviz.quantizers.base import Target
from qviz.stats.minmax import MinMaxState

MOVED = 0.005  # of the width asked for: a smaller move is no finding
MOSTLY = 0.5  # share of the error that makes clipping the finding
HARDLY = 0.05
USED = 0.5  # elements from which a code counts as used: a sketch spreads parts of elements
WASTE = 0.5  # share of used codes below which the unused ones are the finding
HOW = "Between two levels a value is rounded to the nearer one; in the shaded part it is clipped."


@dataclass(frozen=True, eq=False)
class GridFacts:
    """What was asked for, what came of it, and what it did to the values."""

    settled: Settled
    totals: Totals
    target: Target
    facts: MinMaxState

    @property
    def asked(self) -> tuple[float, float] | None:
        """The range asked for; None where qparams were typed."""
        r = self.settled.range
        return None if r is None else (float(r.lo[0]), float(r.hi[0]))

    @property
    def grid(self) -> tuple[float, float]:
        """The range covered."""
        r = self.settled.covered
        return float(r.lo[0]), float(r.hi[0])

    @property
    def clipping(self) -> float | None:
        """Share of the squared error that clipping makes; None without error."""
        t = self.totals
        whole = float(t.ee[0])
        return float(t.ee_low[0] + t.ee_high[0]) / whole if whole > 0 else None


def grid_heading(found: GridFacts) -> str:
    """The finding: a grid that was moved, else what the error is made of."""
    asked = found.asked
    if asked is not None and _has_moved(asked, found.grid):
        because = _because(found, asked)
        return f"Asked for {interval(*asked)}; the grid covers {interval(*found.grid)}{because}"
    return balance(found)


def balance(found: GridFacts) -> str:
    """Clipping against rounding, in one sentence without a full stop."""
    share, t = found.clipping, found.totals
    if share is None:
        return "Nothing is lost: every value is a level of the grid"
    if float(t.clipped_low[0] + t.clipped_high[0]) == 0:
        return _all_rounding(t)
    both = f"clipping makes {percent(share)} of the error, rounding {percent(1 - share)}"
    if share > MOSTLY:
        return f"Too much is cut off: {both}"
    if share < HARDLY:
        return f"Hardly anything is cut off: {both}"
    return f"{both[0].upper()}{both[1:]}"


def _all_rounding(t: Totals) -> str:
    if t.codes is not None and (t.codes[0] >= USED).sum() < WASTE * min(t.codes.shape[1], t.n[0]):
        return f"Nothing is clipped, but only {codes_said(t)[0]} codes are used"
    return "Nothing is clipped: all of the error is rounding, at most half a step"


def _has_moved(asked: tuple[float, float], grid: tuple[float, float]) -> bool:
    width = asked[1] - asked[0]
    return max(abs(a - g) for a, g in zip(asked, grid, strict=True)) > MOVED * width


def _because(found: GridFacts, asked: tuple[float, float]) -> str:
    """Why the neutral grid moved; of other rules only what is seen."""
    grid, spec = found.grid, found.target.spec
    if grid[0] <= 0 <= grid[1] and not asked[0] <= 0 <= asked[1]:
        return " because it must hold zero"
    if spec.symmetric:
        return " because zero sits in the middle"
    same = np.isclose(grid[1] - grid[0], asked[1] - asked[0], rtol=1e-3)
    return " because zero must fall on a level" if same and asked[0] < 0 < asked[1] else ""


def grid_caption(found: GridFacts, about: str, shown: str = "") -> str:
    """What was measured on what, the balance, unused codes, how to read the picture."""
    odd, facts = not_finite(found.facts), found.facts
    measured = [clean(about), values(int(facts.n.sum())), scheme(found.target)]
    said = [f"{odd}, left out."] * bool(odd) + [f"{', '.join(measured)}{shown}."]
    if grid_heading(found) != balance(found):
        said.append(f"{balance(found)}.")
    return " ".join([*said, HOW, how_sure(found.totals)])


def how_sure(totals: Totals) -> str:
    """Exact or approximate."""
    return "Numbers are exact." if totals.made == EXACT else "≈: read off the sketch."


def codes_said(totals: Totals) -> tuple[str, str]:
    """``14 of 16`` and how many are never used; dashes where they were not counted."""
    if totals.codes is None:
        return "–", "not counted"
    used, all_codes = int((totals.codes[0] >= USED).sum()), totals.codes.shape[1]
    return f"{integer(used)} of {integer(all_codes)}", f"{integer(all_codes - used)} never used"
