"""Ranges cut to the data."""

import numpy as np

from qviz.observers.cutting import within_data
from qviz.stats.base import NOTHING
from qviz.stats.minmax import MinMax

SPREAD = MinMax().of(np.array([[-1, 5], [-1, 5], [2, 3], [np.nan, np.nan]]), NOTHING)


def test_ends_stay_inside_the_data_and_in_order():
    lo, hi = np.array([-9.0, 0, 9, 1]), np.array([9.0, 1, 1, 2])
    chosen = within_data(lo, hi, SPREAD, False)
    assert chosen.lo.tolist() == [-1, 0, 3, 0]
    assert chosen.hi.tolist() == [5, 1, 3, 0]
    assert not chosen.exact


def test_an_overflow_becomes_the_data_s_own_end():
    odd = np.array([np.nan, -np.inf, np.nan, np.nan])
    chosen = within_data(odd, -odd, SPREAD, True)
    assert chosen.lo.tolist() == [-1, -1, 2, 0]
    assert chosen.hi.tolist() == [5, 5, 3, 0]
