"""Linear bins of |x|."""

import numpy as np
import pytest

from qviz.observers.magnitudes import binned
from qviz.stats.cells import Cells


def exact(*rows):
    x = np.array(rows, np.float64)
    return Cells(x, x, np.ones(x.shape, np.int64), True)


def test_a_bin_holds_its_lower_edge_and_zeros_are_left_out():
    cells = exact([-4, -1, 0, 0, 0.5, 2, 4], [0, 0, 0, 0, 0, 1, 3])
    found = binned(cells, np.array([4.0, 3]), 4)
    assert found.tolist() == [[1, 1, 1, 2], [0, 1, 0, 1]]


def test_padding_and_zeros_alone_count_nothing():
    x = np.zeros((1, 3))
    assert binned(Cells(x, x, np.ones((1, 3), int), True), np.zeros(1), 2).tolist() == [[0, 0]]
    x = np.ones((1, 3))
    assert binned(Cells(x, x, np.zeros((1, 3), int), True), np.ones(1), 2).tolist() == [[0, 0]]


def test_wide_cells_are_spread_on_both_sides():
    lo, hi = np.array([[-4.0, -1, 0, 1]]), np.array([[-2.0, -0.5, 0, 4]])
    cells = Cells(lo, hi, np.array([[8, 2, 5, 6]]), False)
    # |x|: 8 over [2, 4], 2 over [0.5, 1], 6 over [1, 4]; zeros are left out
    assert binned(cells, np.array([4.0]), 4)[0] == pytest.approx([2, 2, 6, 6])
