"""Running extremes: order of operations, NaN, infinities, channels."""

import numpy as np
import pytest

from qviz.dialects.pytorch.running import NO_DATA, Ends, RunningAverage, RunningMinMax, ends_of
from qviz.spec import Granularity
from qviz.stats.base import Batch
from tests.unit.dialects.pytorch.oracle import in_both_kinds


def through(rule, *batches):
    state = rule.start()
    for x in batches:
        state = rule.step(state, Batch(np.float32(x)))
    return state.lo.tolist(), state.hi.tolist()


def test_smallest_and_largest_so_far():
    assert through(RunningMinMax(), [1, 2], [-3, 0], []) == ([-3], [2])
    assert through(RunningMinMax()) == ([np.inf], [-np.inf])


def test_nan_stays_for_good():
    lo, hi = through(RunningMinMax(), [np.nan, 1], [2])
    assert np.isnan([*lo, *hi]).all()


def test_a_batch_moves_the_average_by_its_share():
    assert through(RunningAverage(0.5), [-4, 8], [0, 0], [2, 4]) == ([0], [4])
    c, m, x = np.float32([0.1, 0.7, 0.3])
    assert through(RunningAverage(0.1), [m], [x])[0] == [m + c * (x - m)]


def test_an_infinity_becomes_nan_one_batch_later():
    assert through(RunningAverage(0.5), [np.inf, 0])[1] == [np.inf]
    assert np.isnan(through(RunningAverage(0.5), [np.inf, 0], [1, 0])[1]).all()


def test_one_channel_serves_all():
    one, three = Ends(np.float32([0]), np.float32([5])), Ends(np.float32([1, -1, 2]), np.zeros(3))
    for rule in (RunningMinMax(), RunningAverage(1.0)):
        assert rule.after(one, three).lo.shape == (3,)
        assert rule.after(three, one).lo.shape == (3,)
    assert RunningMinMax().after(one, three).lo.tolist() == [0, -1, 0]
    assert NO_DATA.unseen.all() and not one.unseen.any()


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_ends_of_channels_in_float32(axis):
    x = np.arange(6.0).reshape(2, 3) / 10
    for given in in_both_kinds(x):
        ends = ends_of(Batch(given, Granularity("per_channel", axis)))
        other = tuple(i for i in range(2) if i != axis % 2)
        assert ends.lo.dtype == np.float32
        assert ends.lo.tolist() == x.min(axis=other).astype(np.float32).tolist()
        assert ends.hi.tolist() == x.max(axis=other).astype(np.float32).tolist()
