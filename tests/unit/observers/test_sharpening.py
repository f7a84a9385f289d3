"""Cells whose ends are the data's own."""

import numpy as np

from qviz.observers.sharpening import sharpened
from qviz.stats.base import NOTHING
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMax

EDGES = np.array([[0.0, 2, 4]])


def cells(count, exact=False):
    lo = np.repeat(EDGES, len(count), axis=0)
    return Cells(lo, lo + (0 if exact else 2), np.array(count), exact)


def test_ends_become_single_elements_and_cells_are_cut():
    spread = MinMax().of(np.array([[0.5, 3, 3, 5, 5.5]]), NOTHING)
    sharp = sharpened(cells([[1, 2, 2]]), spread)
    assert sharp.lo.tolist() == [[0.5, 0.5, 2, 4, 5.5]]
    assert sharp.hi.tolist() == [[0.5, 2, 4, 5.5, 5.5]]
    assert sharp.count.tolist() == [[1, 0, 2, 1, 1]]


def test_each_group_keeps_its_number_of_elements():
    nan = np.nan
    spread = MinMax().of(np.array([[3.0, nan, nan], [3, 3.5, nan], [nan, nan, nan]]), NOTHING)
    sharp = sharpened(cells([[0, 1, 0], [0, 2, 0], [0, 0, 0]]), spread)
    assert sharp.total.tolist() == [1, 2, 0]
    assert sharp.count[0].tolist() == [1, 0, 0, 0, 0]
    assert sharp.count[1].tolist() == [1, 0, 0, 0, 1]
    assert (sharp.count >= 0).all()


def test_exact_cells_stay_as_they_are():
    given = cells([[1, 1, 1]], exact=True)
    assert sharpened(given, MinMax().of(np.array([[0.0, 4]]), NOTHING)) is given
