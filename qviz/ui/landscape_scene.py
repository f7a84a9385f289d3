"""What the landscape view draws from: the terrain, the rows on it, the best range of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qviz.figures.bars import bars
from qviz.figures.landscape_marks import Dot, dot_of
from qviz.metrics.regions import FEW
from qviz.observers.landscape import NEEDS, Landscape
from qviz.observers.manual import ManualObserver
from qviz.pipeline import Comparison
from qviz.pipeline.landscape_views import Field, Hill, clip_of, field, hill, side_of
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.ui.choice import Choice
from qviz.ui.state import compared, gathered, store

BETTER = 0.05  # dB by which a sampled range must beat every row to be called the best
LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class Scene:
    """Terrain, rows as dots best first, the best range, whether the picture is exact."""

    terrain: Hill | Field
    dots: tuple[Dot, ...]
    best: Dot | None
    exact: bool
    key: tuple[object, ...]

    @property
    def side(self) -> str | None:
        """Which ends one clip moves; None where both move by themselves."""
        return self.terrain.side if isinstance(self.terrain, Hill) else None

    @property
    def top(self) -> float | None:
        """SQNR of the best in dB; None where it loses nothing."""
        return None if self.best is None else self.best.bar.value


def no_landscape(comparison: Comparison) -> str:
    """Why there is no landscape; empty where there is one."""
    facts = comparison.facts
    if facts.finite.sum() == 0:
        return "There is no landscape: the tensor has no finite value."
    if facts.lo[0] == facts.hi[0]:
        return "There is no landscape: all values are the same, so no clip trades error for error."
    if facts.amax[0] > LARGEST:
        return "There is no landscape: values lie beyond float32, which its counts cannot hold."
    if not comparison.served:
        return "There is no landscape: no observer serves under these codes and this mode."
    return ""


def scene_of(choice: Choice, comparison: Comparison) -> Scene:
    """The scene of a comparison; ``choice`` is per tensor."""
    seen = gathered(choice, NEEDS)
    landscape = Landscape.of(seen, choice.target)
    ends = landscape.grid(-np.ones(1), np.ones(1)).ends
    by_name = {row.spelling: row for row in comparison.rows}
    dots = tuple(dot_of(by_name[bar.spelling], ends) for bar in bars(comparison.rows))
    wanted = tuple((dot.bar.lo, dot.bar.hi) for dot in dots if dot.served)
    key = (choice.key, choice.target, "landscape", wanted)
    terrain = store().get(key)
    if terrain is None:
        terrain = _terrain(landscape, seen[MinMax()], wanted)
        store().put(key, terrain)
    exact = landscape.cells.exact and (landscape.one_by_one or ends[1] - ends[0] < FEW)
    return Scene(terrain, dots, _best(choice, terrain, dots), exact, key)


def _terrain(
    landscape: Landscape, spread: MinMaxState, wanted: Sequence[tuple[float, float]]
) -> Hill | Field:
    side = side_of(spread, landscape.target.spec.symmetric)
    if side is None:
        return field(landscape, spread, wanted)
    far = clip_of(side, float(spread.lo[0]), float(spread.hi[0]))
    return hill(landscape, side, far, [clip_of(side, lo, hi) for lo, hi in wanted])


def _best(choice: Choice, terrain: Hill | Field, dots: Sequence[Dot]) -> Dot | None:
    """The best row with the codes of the picture, or a range of the picture that beats it."""
    row = next((dot for dot in dots if dot.served and dot.alike), None)
    if row is not None and row.lossless:
        return row
    hilly = isinstance(terrain, Hill)
    ends = terrain.range_of(terrain.best) if hilly else terrain.best
    found = judged(choice, *ends, "best found")
    if not found.served or row is None:
        return found if found.served else None
    ahead = (found.bar.value or np.inf) - (row.bar.value or -np.inf)
    return found if ahead > BETTER else row


def judged(choice: Choice, lo: float, hi: float, title: str, *, exact: bool = False) -> Dot:
    """A range given by its ends, judged as every row is."""
    (row,) = compared(choice, [ManualObserver(float(lo), float(hi))], exact=exact).rows
    dot = dot_of(row, row.ends or (0, 0))
    return replace(dot, bar=replace(dot.bar, title=title))
