"""The search for the least squared error."""

import numpy as np
import pytest

from qviz.observers.landscape import Landscape
from qviz.observers.search import FEWEST, MOST, least_error, tries
from qviz.observers.shrink import ShrinkObserver
from qviz.quantizers.base import Target
from qviz.spec import Range
from qviz.stats.minmax import MinMax
from tests.unit.observers.watching import seen_of, target


def search(x, aim, rivals=None):
    seen = seen_of(ShrinkObserver(), *np.atleast_2d(x))
    spread = seen[MinMax()]
    lo, hi = rivals or (spread.lo[:, None], spread.hi[:, None])
    return least_error(Landscape.of(seen, aim), spread, Range(lo, hi))


def least_by_force(x, steps, zeros):
    """The least error over a fine net of steps and all given zero points, value by value."""
    best = np.inf
    for s in np.geomspace(np.ptp(x) / steps / 8, np.ptp(x) / steps * 1.5, 500):
        for z in zeros:
            code = np.clip(np.rint(x / s) + z, 0, steps)
            best = min(best, np.square((code - z) * s - x).sum())
    return best


@pytest.mark.parametrize("bits", [2, 3])
@pytest.mark.parametrize("kind", ["normal", "laplace", "lognormal"])
def test_as_good_as_a_fine_net(bits, kind):
    x = getattr(np.random.default_rng(bits), kind)(size=600).astype(np.float32)
    steps = 2**bits - 1
    found = search(x, target(bits))
    step = (found.hi[0] - found.lo[0]) / steps
    zero = np.rint(-found.lo[0] / step)
    code = np.clip(np.rint(x / step) + zero, 0, steps)
    own = np.square((code - zero) * step - x).sum()
    assert own <= least_by_force(x.astype(float), steps, range(steps + 1)) * 1.002


def test_a_rival_that_cannot_be_beaten_is_kept_as_it_is():
    found = search([-3.0, -1, 0, 2, 4], target(3))  # 7 steps of 1
    assert (found.lo[0], found.hi[0]) == (-3, 4)


def test_the_first_of_equal_rivals_wins():
    rivals = (np.array([[-1.0, -2.0]]), np.array([[14.0, 13.0]]))  # both 15 steps of 1
    found = search([-1.0, 0, 13], target(4), rivals)
    assert (found.lo[0], found.hi[0]) == (-1, 14)


def test_groups_are_searched_each_for_itself():
    rng = np.random.default_rng(8)
    x = np.stack([rng.standard_normal(200), rng.exponential(size=200), -rng.random(200)])
    together = search(x, target(4))
    for g in range(3):
        alone = search(x[g], target(4))
        assert (together.lo[g], together.hi[g]) == (alone.lo[0], alone.hi[0])


def test_symmetric_ranges_are_symmetric():
    found = search(
        np.random.default_rng(9).laplace(size=500), target(4, signed=True, symmetric=True)
    )
    assert found.lo[0] == -found.hi[0]


def test_more_is_tried_where_it_costs_less():
    def of(elements, aim):
        x = np.random.default_rng(0).standard_normal(elements)
        return tries(Landscape.of(seen_of(ShrinkObserver(), x), aim))

    alone = Target.of(target(8).spec)
    assert of(20, alone) == MOST
    assert of(20, target(8)) == FEWEST
    assert FEWEST < of(60_000, alone) < MOST
