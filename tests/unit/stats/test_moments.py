"""Mean and spread, by hand and in rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from qviz.stats import moments
from qviz.stats.base import NOTHING
from qviz.stats.moments import Moments


def of(rows, dtype="float32"):
    with np.errstate(all="ignore"):
        return Moments().of(np.array(rows, dtype), NOTHING)


def numbers(state):
    columns = (state.n, state.mean, state.m2, state.a1)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_two_groups():
    state = of([[1, 2, 3, 4], [-1, -1, 1, 1]])
    assert numbers(state) == [(4, 2.5, 5, 10), (4, 0, 4, 4)]
    assert state.std[0] == np.sqrt(5 / 3)


def test_what_is_not_finite_is_left_out():
    assert numbers(of([[np.nan, 1, np.inf, 3, -np.inf]])) == [(2, 2, 2, 4)]
    assert numbers(of([[np.nan, np.inf]])) == [(0, 0, 0, 0)]


def test_no_elements():
    state = of(np.zeros((2, 0)))
    assert numbers(state) == [(0, 0, 0, 0)] * 2
    assert state.std.tolist() == [0, 0]
    assert numbers(of(np.zeros((0, 0)))) == []


def test_a_constant_has_no_spread():
    state = of(np.full((1, 300_000), 0.1))
    assert state.mean.tolist() == [np.float64(np.float32(0.1))]
    assert state.m2.tolist() == [0]


def test_float16_does_not_overflow():
    state = of(np.full((1, 1000), 60_000), "float16")
    assert numbers(state) == [(1000, 60_000, 0, 6e7)]


def test_sums_beyond_float64_leave_the_mean_right():
    top = np.finfo(np.float64).max
    state = of([[top, top, -top, top]], "float64")
    assert state.mean[0] == pytest.approx(top / 2)
    assert (state.m2[0], state.a1[0]) == (np.inf, np.inf)
    with np.errstate(all="ignore"):
        both = Moments().merge(of([[top, top]], "float64"), of([[-top, -top]], "float64"))
    assert (both.mean[0], both.m2[0]) == (0, np.inf)


def test_an_empty_part_adds_nothing_to_huge_values():
    whole, empty = of([[1e300, 1e300]], "float64"), of(np.zeros((1, 0)))
    for pair in ((whole, empty), (empty, whole)):
        with np.errstate(all="ignore"):
            assert numbers(Moments().merge(*pair)) == [(2, 1e300, 0, 2e300)]


def rational(values):
    exact = [Fraction(float(v)) for v in values]
    mean = sum(exact) / len(exact)
    return float(mean), float(sum((v - mean) ** 2 for v in exact))


@pytest.mark.parametrize("block", [8, 64, 10_000])
def test_equals_rational_arithmetic_however_it_is_cut(block, monkeypatch):
    monkeypatch.setattr(moments, "BLOCK", block)
    x = np.random.default_rng(1).normal(1000, 1, (3, 200)).astype(np.float32)
    state = of(x)
    for group, row in enumerate(x):
        mean, m2 = rational(row)
        assert state.mean[group] == pytest.approx(mean, rel=1e-14)
        assert state.m2[group] == pytest.approx(m2, rel=1e-12)


def test_the_layout_of_rows_does_not_change_a_bit():
    x = np.random.default_rng(2).normal(size=(300, 500))
    a, b = of(x, "float64"), Moments().of(np.asfortranarray(x), NOTHING)
    assert a.mean.tobytes() == b.mean.tobytes()
    assert a.m2.tobytes() == b.m2.tobytes()
