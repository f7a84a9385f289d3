"""TI's range shrink: strict comparison, batches, odd input, decision."""

import numpy as np
import pytest

from qviz.dialects.ti.percentile import TiPercentile, kept_bins, sums
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import gather
from qviz.quantizers.base import Target
from qviz.spec import Granularity
from qviz.stats.stream import Stream


def seen_of(observer, *batches):
    return gather(Stream.of([np.float32(x) for x in batches]).tiles[0], observer.needs)


def ends_of(observer, *batches):
    found = observer.range(seen_of(observer, *batches), Target.of())
    return found.lo[0], found.hi[0]


def percent(**shares):
    out = np.zeros(256, np.float32)
    for name, share in shares.items():
        out[int(name[1:])] = share
    return out


def test_the_last_bin_below_the_percentile_is_kept():
    shares = percent(b0=1, b10=2, b20=95, b250=1.5, b255=0.5)
    assert kept_bins(shares, 4) == (19, 21)  # 3 % end below bin 20, 2 % above it
    assert kept_bins(shares, 2) == (9, 251)  # exactly 2 % from the right is not below 2 %
    assert kept_bins(shares, 0.1) == (0, 255)


def test_sums_are_added_in_order_in_float32():
    shares = np.full(256, 100 / 256, np.float32)
    shares[0], shares[255] = 2.0**24, 1
    left, right = sums(shares)
    assert left.dtype == np.float32
    assert left[255] == 2**24  # no small share moves a sum of 2^24
    assert right[0] > 2**24


def test_a_share_equal_to_the_percentile_is_not_cut():
    x = np.concatenate([[0], np.full(9998, 128), [255]])
    assert ends_of(TiPercentile(0.01), x) == (0, 255)  # one in 10 000 is 0.01 %
    assert ends_of(TiPercentile(0.02), x) == (127, 129)


def test_a_percentile_of_zero_is_min_max():
    x = np.random.default_rng(1).normal(size=(1, 1, 9, 9)).astype(np.float32)
    assert ends_of(TiPercentile(0.0, True), x) == (x.min(), x.max())


def test_constant_input_is_answered():
    assert ends_of(TiPercentile(1.0), np.full(7, -2.5)) == (-2.5, -2.5)


def test_further_batches_move_the_range_by_a_hundredth():
    lo, hi = ends_of(TiPercentile(), [0, 100], [np.nan], [-100, 300])
    assert (lo, hi) == (-1, np.float32(102))


def test_nothing_finite_is_refused():
    with pytest.raises(QvizError, match="no finite element"):
        ends_of(TiPercentile(), [np.nan, np.inf])


def test_per_tensor_only():
    assert TiPercentile().accepts(Target.of()) is None
    by_row = Target.of(granularity=Granularity("per_channel", 0))
    assert "per tensor" in TiPercentile().accepts(by_row)


def test_the_decision_shows_both_sums():
    observer = TiPercentile(0.02)
    x = np.concatenate([[0], np.full(9998, 128), [255]])
    decision = observer.decision(seen_of(observer, x), Target.of())
    assert decision.x.tolist() == list(range(256))
    assert decision.chosen == (127.0, 129.0)
    assert decision.curves["from the left"][127] == np.float32(0.01)
    assert decision.curves["from the right"][128] == pytest.approx(99.99)
    assert observer.decision(seen_of(observer, [3, 3]), Target.of()) is None


def test_spelling():
    spelling = "ti.percentile:range_shrink_percentile=1,fast_mode=True,seed=3"
    made = OBSERVERS.make(spelling)
    assert made == TiPercentile(1.0, True, 3)
    assert OBSERVERS.spell(made) == spelling
