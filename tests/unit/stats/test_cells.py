"""Ranks, quantiles and sums of cells, by hand and against NumPy on the values themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qviz.stats.cells import Cells, between


def cells(lo, hi, count):
    lo, hi = np.array(lo, float), np.array(hi, float)
    return Cells(lo, hi, np.array(count), exact=bool((lo == hi).all()))


TWO = cells([[-1, 0, 2], [5, 5, 5]], [[-1, 0, 4], [5, 5, 5]], [[1, 2, 4], [0, 3, 0]])


def test_totals():
    assert TWO.groups == 2
    assert TWO.total.tolist() == [7, 3]
    assert TWO.cumulative.tolist() == [[1, 3, 7], [0, 3, 3]]


@pytest.mark.parametrize(
    ("k", "cell", "value"),
    [
        ([0, 0], [0, 1], [-1, 5]),
        ([1, 1], [1, 1], [0, 5]),
        ([2, 2], [1, 1], [0, 5]),
        ([3, 0], [2, 1], [2.25, 5]),  # the first of 4 in [2, 4] lies at 1/8 of the width
        ([6, 0], [2, 1], [3.75, 5]),
    ],
)
def test_ranks(k, cell, value):
    assert TWO.cell_of(np.array(k)).tolist() == cell
    assert TWO.rank(np.array(k)).tolist() == value


def test_a_rank_that_no_element_has_is_0():
    assert TWO.rank(np.array([7, -1])).tolist() == [0, 0]


def test_quantiles_between_order_statistics():
    # 7 elements -1 0 0 2.25 2.75 3.25 3.75: rank 4.5 is half-way from 2.75 to 3.25
    assert TWO.quantile(0.75).tolist() == [3.0, 5.0]
    assert TWO.quantile(0.0).tolist() == [-1.0, 5.0]
    assert TWO.quantile(1.0).tolist() == [3.75, 5.0]


def test_groups_without_elements_have_quantile_0():
    assert cells([[1, 2], [3, 4]], [[1, 2], [3, 4]], [[0, 0], [1, 1]]).quantile(0.5).tolist() == [
        0,
        3.5,
    ]
    assert cells(np.zeros((2, 0)), np.zeros((2, 0)), np.zeros((2, 0), int)).quantile(
        0.5
    ).tolist() == [0, 0]
    assert cells(np.zeros((2, 0)), np.zeros((2, 0)), np.zeros((2, 0), int)).total.tolist() == [0, 0]


def test_prefix_sums_take_a_cell_as_evenly_spread():
    n, x, xx = cells([[-1, 2]], [[-1, 5]], [[2, 3]]).prefix
    # mean square of [2, 5] is (2^2 + 2*5 + 5^2) / 3 = 13
    assert n.tolist() == [[0, 2, 5]]
    assert x.tolist() == [[0, -2, 8.5]]
    assert xx.astype(float).tolist() == [[0, 2, 41]]


def test_prefix_sums_of_the_largest_floats_do_not_overflow():
    top = np.finfo(np.float64).max
    n, x, _ = cells([[-top, top]], [[-top, top]], [[1, 2]]).prefix
    assert n.tolist() == [[0, 1, 3]]
    assert x[0, -1] == np.longdouble(top)


@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=40),
    st.floats(0, 1),
)
def test_exact_cells_have_the_quantiles_of_numpy(values, share):
    x = np.array(values)
    value, count = np.unique(x, return_counts=True)
    got = Cells(value[None], value[None], count[None], True).quantile(share)
    assert got[0] == np.quantile(x, share)


def test_between_is_exact_at_both_ends_and_where_the_gap_overflows():
    low, high = np.array([1.0, -1.5e308]), np.array([3.0, 1.5e308])
    assert between(low, high, np.array([0.0, 0.0])).tolist() == [1.0, -1.5e308]
    assert between(low, high, np.array([1.0, 1.0])).tolist() == [3.0, 1.5e308]
    assert between(low, high, np.array([0.25, 0.5])).tolist() == [1.5, 0.0]


def test_between_rounds_half_way_as_numpy_does():
    low, high = np.array([-2.0]), np.array([1.8])
    assert between(low, high, np.array([0.5]))[0] == -0.09999999999999987  # not ...0000009
