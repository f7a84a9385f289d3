"""The MSE search as an observer."""

import numpy as np
import pytest

from qviz.observers.mse import RIVALS, MseObserver
from tests.unit.observers.watching import ends, seen_of, target


def test_every_rival_s_needs_are_its_own():
    needs = set(MseObserver().needs)
    assert len(RIVALS) == 8
    assert all(needs.issuperset(rival.needs) for rival in RIVALS)


def test_one_bit_finds_the_mean():
    assert ends(MseObserver(), [4, 4, 4, 5], aim=target(1))[0][1] == pytest.approx(4.25, rel=1e-4)


def test_data_on_a_grid_are_given_that_grid():
    # codes -90 to 100 times 0.03: 255 steps of 0.03 hold them without loss
    x = np.float32(0.03) * np.arange(-90, 101)
    lo, hi = ends(MseObserver(), x)[0]
    assert (hi - lo) / 255 == pytest.approx(0.03, rel=1e-6)
    assert lo == pytest.approx(-2.7, rel=1e-6)


def test_a_uniform_range_keeps_half_a_step_less_at_each_end():
    # Evenly spread over [0, 1], levels 0, s, 2 s, 3 s: the outer cells are half a step below 0
    # and as wide above the last level as below it, so 3.5 s = 1.
    x = (np.arange(4000) + 0.5) / 4000
    assert ends(MseObserver(), x, aim=target(2))[0] == pytest.approx([0, 6 / 7], rel=2e-3)


def test_min_max_where_nothing_is_lost():
    assert ends(MseObserver(), [0, 1, 2, 3], [0, 0, 0, 0], aim=target(2)) == [[0, 3], [0, 0]]


def test_sketched_data_are_marked():
    observer, x = MseObserver(), np.random.default_rng(0).standard_normal(70_000)
    assert not observer.range(seen_of(observer, x), target()).exact
    assert observer.range(seen_of(observer, x[:1000]), target()).exact
    assert observer.range(seen_of(observer, np.rint(x)), target()).exact


def test_decision_is_highest_at_the_chosen_clip():
    observer, x = MseObserver(), np.random.default_rng(1).standard_normal((2, 3000))
    seen = seen_of(observer, *x)
    shown = observer.decision(seen, target(4))
    chosen = observer.range(seen, target(4))
    curve = shown.curves["SQNR"]
    assert shown.chosen[0] == max(-chosen.lo[0], chosen.hi[0])
    assert curve.argmax() == np.searchsorted(shown.x, shown.chosen[0])
    assert shown.marks["largest magnitude"] == pytest.approx(np.abs(x[0]).max(), rel=1e-6)
    assert shown.x[-1] > shown.marks["largest magnitude"]
