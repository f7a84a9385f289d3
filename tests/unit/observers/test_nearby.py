"""Rounding near 0 on grids of very many levels."""

import numpy as np
import pytest

from qviz.metrics.regions import squared_errors
from qviz.observers.nearby import near_zero
from qviz.quantizers.affine import typed
from qviz.stats.cells import Cells


def test_zeros_cost_nothing():
    cells = Cells(np.zeros((1, 1)), np.zeros((1, 1)), np.array([[100]]), True)
    grid = typed(0.5, 0, -8000, 8000)
    assert squared_errors(cells, grid) == pytest.approx(100 * 0.25 / 12)
    assert squared_errors(cells, grid) + near_zero(cells, grid) == pytest.approx(0)


def test_elements_far_below_a_step_cost_their_own_square():
    at = np.array([[1e-3, 2e-3]])
    cells = Cells(at, at, np.array([[3, 4]]), True)
    grid = typed([0.5, 0.25], [0, 7], 0, 16_000)
    found = squared_errors(cells, grid) + near_zero(cells, grid)
    assert found == pytest.approx([3e-6 + 16e-6] * 2)


def test_a_wide_cell_costs_its_integral():
    # 60 elements evenly over [0, 1.5 steps]: half a step rounds to 0, a whole one to 1
    cells = Cells(np.zeros((1, 1)), np.full((1, 1), 1.5), np.array([[60]]), False)
    grid = typed(1.0, 0, 0, 5000)
    wanted = 20 * (0.5**2 / 3) + 40 / 12
    found = squared_errors(cells, grid) + near_zero(cells, grid)
    assert found == pytest.approx(wanted)


def test_data_beyond_the_window_are_left_alone():
    cells = Cells(np.full((1, 1), 300.0), np.full((1, 1), 400.0), np.array([[9]]), False)
    assert near_zero(cells, typed(1.0, 0, 0, 5000)) == pytest.approx(0, abs=1e-9)
