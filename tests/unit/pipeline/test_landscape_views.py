"""Hills and fields: where they are highest, what is in view, what they agree with."""

import numpy as np
import pytest

from qviz.metrics.reading import read
from qviz.observers.manual import ManualObserver
from qviz.pipeline import compare
from qviz.pipeline.landscape import Parts
from qviz.pipeline.landscape_views import (
    BOTH,
    LOWER,
    UPPER,
    Hill,
    clip_of,
    field,
    hill,
    raised,
    side_of,
)
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.stream import Stream
from tests.unit.pipeline.terrain import seen

X = np.random.default_rng(5).standard_t(3, 60_000).astype(np.float32)
FAR = float(np.abs(X).max())


def in_table(x, target, lo, hi):
    """SQNR that a row of the comparison has for a range."""
    (row,) = compare(Stream.of(x), [ManualObserver(float(lo), float(hi))], target).rows
    return read("sqnr", row.totals)[0].value


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_a_hill_has_the_numbers_of_the_table(bits):
    target = Target.of(QuantSpec(bits, signed=True, symmetric=True))
    found = hill(seen(X, target)[0], BOTH, FAR)
    for at in (0, 60, int(found.parts.sqnr.argmax()), -1):
        clip = found.clip[at]
        assert found.parts.sqnr[at] == pytest.approx(in_table(X, target, -clip, clip), abs=1e-4)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_a_field_has_the_numbers_of_the_table(bits):
    target = Target.of(QuantSpec(bits))
    found = field(*seen(X, target))
    for row, column in ((0, 0), (5, 9), (-1, -1)):
        lo, hi = -found.lower[column], found.upper[row]
        value = in_table(X, target, lo, hi)
        assert found.sqnr[row, column] == pytest.approx(value, abs=1e-4)


def test_a_hill_finds_the_best_clip():
    clips = np.geomspace(0.5, FAR, 4000)
    x = X.astype(float)
    steps = clips / 7
    errors = [np.square(np.clip(np.rint(x / s), -8, 7) * s - x).sum() for s in steps]
    best = clips[int(np.argmin(errors))]
    assert hill(seen(X, 4, symmetric=True)[0], BOTH, FAR).best == pytest.approx(best, rel=0.01)


def test_a_field_comes_near_the_search():
    target = Target.of(QuantSpec(4))
    found = field(*seen(X, target))
    from_grid = in_table(X, target, *found.best)
    lo, hi = np.meshgrid(-np.geomspace(2, 20, 25), np.geomspace(2, 20, 25))
    ranges = [ManualObserver(*map(float, ends)) for ends in zip(lo.flat, hi.flat, strict=True)]
    rows = compare(Stream.of(X), ranges, target).rows
    tried = [read("sqnr", row.totals)[0].value for row in rows]
    assert len(tried) == 625 and from_grid > max(tried) - 0.1


def bare(clip, sqnr):
    """A hill of given heights."""
    noise = 10 ** (-np.array(sqnr, float) / 10)
    none = np.zeros(len(clip))
    return Hill(BOTH, np.array(clip, float), Parts(none, noise, none, 1.0, 1.0))


def test_the_flat_region_is_cut_between_points():
    found = bare([1, 2, 4, 8], [8.0, 10.0, 9.0, 3.0])
    low, high = found.flat
    assert found.best == 2
    assert low == pytest.approx(2**0.75)  # 9.5 of 8 to 10 is three quarters of the way
    assert high == pytest.approx(2**1.5)


def test_a_flat_region_may_leave_the_view():
    assert bare([1, 2, 4], [9.9, 10.0, 9.8]).flat == (None, None)


def test_the_flat_stretch_is_the_one_around_a_clip():
    found = bare([1, 2, 4, 8, 16], [10.0, 3.0, 8.0, 9.0, 3.0])
    low, high = found.flat_at(8)
    assert low == pytest.approx(4 * 2**0.5) and high == pytest.approx(8 * 2 ** (0.5 / 6))
    assert found.flat[0] is None and found.flat[1] == pytest.approx(2 ** (0.5 / 7))


def test_a_curve_that_ripples():
    ways = np.tile([10.0, 14.0], 6)
    found = bare(np.arange(1, 13), ways)
    assert found.ripples and found.swing == pytest.approx(4)
    calm = bare(np.arange(1, 13), ways / 10)  # by 0.4 dB: no turn at all
    assert not calm.ripples and not len(calm.turns)
    assert not bare([1, 2, 3], [0, 5, 0]).ripples


def test_a_rippling_hill_passes_through_the_rows_and_is_finer():
    x = (1000 + np.random.default_rng(0).standard_normal(4096)).astype(np.float32)
    spread, far = seen(x, 8), float(x.max())
    found = hill(spread[0], UPPER, far, [far, 999.25])
    assert found.ripples and len(found.clip) > 1200
    assert {far, 999.25} <= set(found.clip.tolist())
    at = int(np.flatnonzero(found.clip == far)[0])
    assert found.parts.sqnr[at] == pytest.approx(in_table(x, Target.of(QuantSpec(8)), 0, far))


def test_which_ends_a_clip_moves():
    both, above, below = (seen(v, 4)[1] for v in (X, np.abs(X), -np.abs(X)))
    assert side_of(both, False) is None
    assert side_of(both, True) == BOTH
    assert side_of(above, False) == UPPER
    assert side_of(below, False) == LOWER


def test_ranges_and_clips():
    assert [clip_of(side, -3, 2) for side in (BOTH, UPPER, LOWER)] == [3, 2, 3]
    assert clip_of(UPPER, -3, -1) == 0
    ends = [Hill(s, np.ones(1), bare([1], [0]).parts).range_of(2.0) for s in (BOTH, UPPER, LOWER)]
    assert ends == [(-2, 2), (0, 2), (-2, 0)]


def test_one_sided_data_have_a_hill_over_their_far_end():
    x = np.abs(X)
    found = hill(seen(x, 4)[0], UPPER, FAR)
    lo, hi = found.range_of(found.best)
    value = in_table(x, Target.of(QuantSpec(4)), lo, hi)
    assert float(found.parts.sqnr.max()) == pytest.approx(value, abs=1e-3)


def test_the_view_holds_what_is_wanted_unless_it_is_far_off():
    found = hill(seen(X, 4, symmetric=True)[0], BOTH, FAR, [1.4 * FAR, 1e-6, 1e6])
    assert found.clip[0] > 1e-3
    assert 1.4 * FAR < found.clip[-1] < 2 * FAR


def test_a_field_is_coarser_where_a_range_costs_more():
    few = np.arange(-20_000, 20_000).astype(np.float32) / 7
    assert field(*seen(X, 4)).sqnr.shape == (60, 60)
    assert field(*seen(few, 12)).sqnr.size < 3600


def test_balance_changes_its_sign_between_narrow_and_wide():
    found = field(*seen(X, 4))
    assert found.balance[0, 0] > 0 > found.balance[-1, -1]
    assert np.abs(found.balance).max() <= 30


def test_what_loses_nothing_stands_above_the_rest():
    assert raised(np.array([1.0, np.inf, 4.0, np.nan])).tolist() == [1, 10, 4, 1]
    assert raised(np.array([np.inf, np.inf])).tolist() == [6, 6]
