"""Grids as points of a plane."""

import numpy as np
import pytest

from qviz.observers.landscape import Landscape
from qviz.observers.plane import Plane
from qviz.observers.shrink import ShrinkObserver
from tests.unit.observers.watching import seen_of, target


def plane(x, aim, turn=None):
    found = Landscape.of(seen_of(ShrinkObserver(), x), aim)
    lo, hi = np.array([[min(x)]], float), np.array([[max(x)]], float)
    turn = None if turn is None else np.array([[float(turn)]])
    return Plane(found, lo, hi, turn)


def test_a_point_and_its_range_belong_together():
    grids = plane([-1, 2], target(2))
    lo, hi = grids.ends(np.array([[[0.5, 1.0], [2.0, 0.0]]]))
    assert lo.tolist() == [[-0.5, 0]]
    assert hi.tolist() == [[1, 6]]
    assert grids.place(lo, hi).tolist() == [[[0.5, 1.0], [2.0, 0.0]]]


def test_the_mode_s_own_grid_is_the_point():
    # [-1, 2] over 3 steps; the power of two above 1 is 1; above 1.1 it is 2
    grids = plane([-1, 2], target(2, "power_of_two"))
    placed = grids.place(np.array([[-1.0, -1.1]]), np.array([[2.0, 2.2]]))
    assert placed.tolist() == [[[1, 1], [2, 1]]]


def test_a_fixed_turn_takes_the_wider_side():
    middle = plane([-1, 2], target(2, signed=True, symmetric=True), 1.5)
    assert middle.place(np.array([[-3.0]]), np.array([[1.0]])).tolist() == [[[2, 1.5]]]
    above = plane([0, 2], target(2), 0)
    assert above.place(np.array([[-9.0]]), np.array([[6.0]])).tolist() == [[[2, 0]]]


def test_neither_outermost_level_is_idle():
    least, most = plane([-1, 2], target(4)).turns(np.array([[0.25]]))
    # 15 steps; 2 is 8 steps up, 1 is 4 steps down, each with half a step to spare
    assert (least.item(), most.item()) == (6.5, 4.5)
    least, most = plane([-1, 2], target(4)).turns(np.array([[0.1]]))
    assert (least.item(), most.item()) == (0, pytest.approx(10.5))


def test_the_net_spans_from_the_widest_grid_to_the_narrowest_that_may_win():
    x = np.array([-1.0, 2.0])
    points, spacing = plane(x, target(4)).coarse(np.array([[0.5]]), 7, 3)
    s = points[0, ::3, 0]
    assert s[0] == pytest.approx(3 / 15 * (1 + 1 / 13))
    # sum x^2 = 5, sums of |x| 2 and 1: no narrower than (5 - 0.5) / (2 * 2)
    assert s[-1] == pytest.approx(4.5 / 4 / 15)
    assert np.diff(np.log(s)) == pytest.approx(-spacing.item())
    assert (points[..., 1] == np.rint(points[..., 1])).all()


def test_a_walk_never_ends_higher_than_it_starts():
    x = np.random.default_rng(0).standard_normal(400).tolist()
    grids = plane(x, target(4))
    starts = np.array([[[0.5, 7.0], [0.2, 3.0]]])
    points, errors = grids.walk(starts, np.array([[0.3]]), 5)
    assert (errors < grids.errors(starts)).all()
    assert errors == pytest.approx(grids.errors(points))
