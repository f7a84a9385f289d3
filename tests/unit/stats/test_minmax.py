"""Extremes and counts, by hand."""

import numpy as np
import pytest

from qviz.stats.base import NOTHING
from qviz.stats.minmax import MinMax

FIELDS = ("lo", "hi", "n", "nan", "plus_inf", "minus_inf", "zero", "subnormal")
INF, NAN = np.inf, np.nan


def of(rows, dtype="float32"):
    return MinMax().of(np.array(rows, dtype), NOTHING)


def numbers(state):
    return list(zip(*(getattr(state, name).tolist() for name in FIELDS), strict=True))


def test_two_groups():
    state = of([[1, -2, 0, 3], [-5, -4, -5, -4]])
    assert numbers(state) == [(-2, 3, 4, 0, 0, 0, 1, 0), (-5, -4, 4, 0, 0, 0, 0, 0)]
    assert state.finite.tolist() == [4, 4]
    assert state.amax.tolist() == [3, 5]


def test_what_is_not_finite_is_counted_and_left_out():
    state = of([[NAN, INF, -INF, 2, 0, INF], [1, 2, 3, 4, 5, 6]])
    assert numbers(state) == [(0, 2, 6, 1, 2, 1, 1, 0), (1, 6, 6, 0, 0, 0, 0, 0)]
    assert state.finite.tolist() == [2, 6]


def test_a_group_without_finite_elements_has_an_empty_range():
    state = of([[NAN, INF]])
    assert numbers(state) == [(INF, -INF, 2, 1, 1, 0, 0, 0)]
    assert state.amax.tolist() == [0]


def test_no_elements():
    assert numbers(of(np.zeros((2, 0)))) == [(INF, -INF, 0, 0, 0, 0, 0, 0)] * 2
    assert numbers(of(np.zeros((0, 0)))) == []


@pytest.mark.parametrize(
    ("dtype", "least"), [("float16", 2.0**-14), ("float32", 2.0**-126), ("float64", 2.0**-1022)]
)
def test_subnormals_lie_between_0_and_the_least_normal(dtype, least):
    state = of([[0, -0.0, least, -least, least / 2, -least / 4]], dtype)
    assert (state.zero.tolist(), state.subnormal.tolist()) == ([2], [2])
    assert of([[least, 1]], dtype).subnormal.tolist() == [0]
    assert of([[-least, -1]], dtype).subnormal.tolist() == [0]


def test_minus_zero_as_an_extreme_is_zero():
    state = of([[-0.0, -1.0], [-0.0, 1.0]])
    assert not np.signbit([state.hi[0], state.lo[1]]).any()


def test_many_short_groups_are_counted_as_few_long_ones():
    rows = np.zeros((100, 3))
    rows[:, 0] = np.arange(100)
    state = of(rows)
    assert state.zero.tolist() == [3] + [2] * 99
    assert state.hi.tolist() == list(range(100))


def test_merging_adds_counts_and_widens_ends():
    a, b = of([[1, 0, NAN]]), of([[-3, INF]])
    assert numbers(MinMax().merge(a, b)) == [(-3, 1, 5, 1, 1, 0, 1, 0)]
