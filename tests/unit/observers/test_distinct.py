"""Distinct values while they are few."""

import numpy as np
import pytest
import torch

from qviz.observers.distinct import HEADS, Distinct
from qviz.stats.base import NOTHING


def of(x, limit=4):
    return Distinct(limit).of(np.atleast_2d(np.asarray(x, np.float32)), NOTHING)


def test_values_and_counts_without_what_is_not_finite():
    state = of([2, -1, np.nan, 2, np.inf, -0.0, 0.0, np.nan])
    assert state.values.tolist() == [-1, 0, 2]
    assert not np.signbit(state.values[1])
    assert state.counts.tolist() == [1, 2, 2]
    cells = state.cells
    assert cells.exact and cells.lo is cells.hi and cells.total.tolist() == [5]


@pytest.mark.parametrize("x", [[], [np.nan, np.nan]])
def test_nothing_finite_is_no_value(x):
    state = of(x)
    assert state.values.tolist() == state.counts.tolist() == []


def test_one_value_more_than_the_limit_is_too_many():
    assert of([1, 2, 3, 4]).cells is not None
    assert of([1, 2, 3, 4, 5]).cells is None


def test_a_tail_that_differs_is_seen():
    x = np.zeros(HEADS[0] + 10)
    x[-5:] = range(1, 6)
    assert of(x).cells is None
    assert of(x, limit=6).values.tolist() == [0, 1, 2, 3, 4, 5]


def test_several_groups_are_not_counted():
    assert of([[1, 2], [1, 2]]).cells is None


def test_merging_adds_counts_and_gives_up_beyond_the_limit():
    law = Distinct(4)
    both = law.merge(of([1, 2, 2]), of([2, 3]))
    assert both.values.tolist() == [1, 2, 3]
    assert both.counts.tolist() == [1, 3, 1]
    assert law.merge(of([1, 2, 3]), of([4, 5])).cells is None
    assert law.merge(of([1]), of([1, 2, 3, 4, 5])).cells is None


def test_a_tensor_says_the_same():
    x = torch.tensor([[3.0, 1.0, 3.0, float("nan")]], dtype=torch.bfloat16).float()
    state = Distinct().of(x, NOTHING)
    assert state.values.tolist() == [1, 3]
    assert state.counts.tolist() == [1, 2]
