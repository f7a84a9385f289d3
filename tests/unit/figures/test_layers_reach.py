"""How far magnitudes reach: hand-worked shares, zeros left out, both signs folded."""

import numpy as np
import pytest

from qviz.figures.layers_reach import Reach, reach_of
from qviz.stats.cells import Cells


def cells(*values):
    """Each value a cell of its own."""
    x = np.sort(np.array(values, np.float64))[None, :]
    return Cells(x, x, np.ones(x.shape, np.int64), True)


def test_signs_are_folded_and_zeros_left_out():
    found = reach_of("a", cells(-8.0, 0.0, 0.0, 1.0, 2.0))
    first, _, middle, _, last = found.ends
    assert (first, middle, last) == (1.0, 2.0, 8.0)  # of 1, 2, 8
    assert found.ratio == 4.0


def test_the_outer_percents_lie_between_order_statistics():
    found = reach_of("a", cells(*range(1, 102)))  # 1 to 101: a percent is one step
    assert found.ends == pytest.approx((1, 2, 51, 100, 101))


def test_a_wide_cell_is_cut_at_its_nearer_end():
    lo, hi = np.array([[-4.0, 2.0]]), np.array([[-2.0, 2.0]])
    found = reach_of("a", Cells(lo, hi, np.array([[1, 1]]), False))
    assert found.ends[0] == 2.0 and found.ends[4] == 4.0
    assert not found.exact and reach_of("a", cells(1.0)).exact


@pytest.mark.parametrize("values", [(0.0, 0.0), (), (np.inf,)])
def test_nothing_but_zeros_has_no_reach(values):
    assert reach_of("a", cells(*values)) is None


def test_one_value_reaches_itself():
    assert reach_of("a", cells(-3.0)) == Reach("a", (3.0, 3.0, 3.0, 3.0, 3.0))
