"""Percentiles, two-sided and one-sided."""

import numpy as np
import pytest

from qviz.observers.percentile import PercentileObserver
from tests.unit.observers.watching import ends, seen_of, target


@pytest.mark.parametrize("keep", [50.0, 90.0, 99.9])
def test_two_sides_agree_with_numpy(keep):
    x = np.random.default_rng(1).standard_normal(777).astype(np.float32)
    wanted = np.percentile(x.astype(np.float64), [(100 - keep) / 2, 50 + keep / 2])
    assert ends(PercentileObserver(keep), x)[0] == pytest.approx(wanted, rel=1e-12)


def test_one_side_is_cut_where_the_data_reach_farther():
    observer = PercentileObserver(75.0, sides=1)
    up, down, even = [-1, 0, 1, 2, 3], [-3, -2, -1, 0, 1], [-2, -1, 0, 1, 2]
    # a quarter of four gaps is one rank
    assert ends(observer, up, down, even) == [[-1, 2], [-2, 1], [-2, 1]]


@pytest.mark.parametrize("sides", [1, 2])
def test_keeping_all_is_min_max_even_on_a_sketch(sides):
    x = np.random.default_rng(2).standard_normal(70_000).astype(np.float32)
    found = ends(PercentileObserver(100.0, sides), x)
    assert found == [[float(x.min()), float(x.max())]]


def test_a_sketch_is_off_by_less_than_a_cell_and_says_so():
    x = np.random.default_rng(3).standard_normal(100_000).astype(np.float32)
    observer = PercentileObserver(99.0)
    chosen = observer.range(seen_of(observer, x), target())
    assert not chosen.exact
    wanted = np.percentile(x.astype(np.float64), [0.5, 99.5])
    assert [chosen.lo[0], chosen.hi[0]] == pytest.approx(wanted, rel=2**-7)


def test_float64_beyond_float32_counts_as_the_end_of_the_data():
    x = np.r_[np.full(10_000, 2e300), np.linspace(0, 1, 60_000)]
    lo, hi = ends(PercentileObserver(99.0), x, dtype=np.float64)[0]
    assert 0 < lo < 0.01 and hi == 2e300


def test_decision_is_the_cumulative_share_with_both_ends():
    observer = PercentileObserver(80.0)
    shown = observer.decision(seen_of(observer, range(11)), target())
    share = shown.curves["cumulative share"]
    assert shown.chosen == (1, 9)
    assert shown.marks == {"lo": 1, "hi": 9}
    assert share[0] == pytest.approx(100 / 11)  # 0 itself
    assert share[-1] == 100
    assert share[np.searchsorted(shown.x, 5.5)] == pytest.approx(600 / 11)


def test_nothing_finite_shows_nothing():
    observer = PercentileObserver()
    assert observer.decision(seen_of(observer, [np.nan]), target()) is None
