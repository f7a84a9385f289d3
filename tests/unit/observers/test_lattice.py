"""The data's own step."""

import numpy as np
import pytest

from qviz.observers.lattice import own_grid
from qviz.stats.base import NOTHING
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMax
from tests.unit.observers.watching import target


def grid(*values, exact=True, **spec):
    x = np.sort(np.array([values], np.float64))
    cells = Cells(x, x, np.ones(x.shape, np.int64), exact)
    chosen = own_grid(cells, MinMax().of(x, NOTHING), target(**spec))
    return [float(chosen.lo[0]), float(chosen.hi[0])]


def test_the_step_divides_the_data_s_own():
    # step 1; 255 steps over a width of 100 allow halves: 0 to 127.5
    assert grid(*range(101)) == [0, 127.5]


def test_zero_keeps_its_place():
    # step 2; 15 steps over a width of 14 allow halves: -4 is four steps below 0
    assert grid(-4, -2, 10, bits=4) == pytest.approx([-4, 11])


def test_symmetric_codes_reach_to_both_sides():
    assert grid(-3, -1, 2, bits=4, signed=True, symmetric=True) == pytest.approx([-3.5, 3.5])


@pytest.mark.parametrize("values", [(0, 1, 100), (5,), (0, 0.001, 1)])
def test_too_many_steps_give_the_whole_range(values):
    assert grid(*values, bits=4) == [min(values), max(values)]


def test_wide_cells_tell_no_step():
    assert grid(0, 1, 2, exact=False) == [0, 2]
