"""The observers: thresholds by hand and by plain loops, knobs, refusals and pictures."""

import numpy as np
import pytest

from qviz.dialects.nvidia.dialect import DIALECT
from qviz.dialects.nvidia.entropy import NvidiaEntropy
from qviz.dialects.nvidia.errors import FailedRun, InvalidValue
from qviz.dialects.nvidia.mse import NvidiaMse, NvidiaMseReleased, middles
from qviz.dialects.nvidia.percentile import NvidiaPercentile
from qviz.dialects.nvidia.state import candidates
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.stats.base import Batch, Seen
from tests.unit.dialects.nvidia import plain

X = np.append(np.random.default_rng(0).laplace(size=3000), 30).astype(np.float32)
FAR = (np.random.default_rng(1).random(400) + 9).astype(np.float32)
EVERY = [NvidiaEntropy(), NvidiaMse(), NvidiaMseReleased(), NvidiaPercentile()]
CHANNELS = Target.of(granularity=Granularity("per_channel", 0))


def seen_of(observer, *batches):
    (rule,) = observer.needs
    state = rule.start()
    for x in batches:
        state = rule.step(state, Batch(x))
    return Seen({rule: state}, len(batches))


def amax(observer, *batches, bits=8):
    found = observer.range(seen_of(observer, *batches), Target.of(QuantSpec(bits)))
    assert found.lo[0] == -found.hi[0]
    return found.hi[0]


def test_percentile_takes_left_edges():
    x = np.arange(11, dtype=np.float32)  # 2 2 2 2 3 in bins of width 2
    assert [amax(NvidiaPercentile(p, 5), x) for p in (0, 40, 50, 100)] == [0, 4, 4, 8]
    assert amax(NvidiaPercentile(50, 5, skip_zeros=True), x) == 4
    assert amax(NvidiaPercentile(15, 5), x) == 0  # 2 of 11 lie in the first bin
    assert amax(NvidiaPercentile(15, 5, skip_zeros=True), x) == 2  # 1 of 10


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("unsigned", [False, True])
def test_entropy_is_that_of_a_plain_loop(bits, unsigned):
    observer = NvidiaEntropy(200, 20, 7, unsigned)
    counts, edges = plain.histogram([X], 200)
    kept = np.arange(20, 201, 7)
    levels = 2 ** (bits - 1 + unsigned)
    found = [plain.divergence(counts, levels, k) for k in kept.tolist()]
    wanted = edges[kept[np.flatnonzero(np.array(found) == min(found))[-1]]]
    assert amax(observer, X, bits=bits) == wanted


def test_data_far_from_0_get_the_edge_below_them():
    counts, edges = plain.histogram([FAR], 2048)
    assert amax(NvidiaEntropy(), FAR) == edges[np.flatnonzero(counts)[0]] < FAR.min()


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("unsigned", [False, True])
def test_mse_is_that_of_a_plain_loop(bits, unsigned):
    observer = NvidiaMse(120, 8, 3, unsigned)
    counts, edges = plain.histogram([X], 120)
    found = (edges[1:] + edges[:-1]) / 2
    last = 2 ** (bits - 1 + unsigned) - 1
    clips = found[8:120:3]
    errors = [plain.squared_error(counts, found, float(clip), last) for clip in clips]
    assert amax(observer, X, bits=bits) == clips[np.argmin(errors)]


def test_the_released_search_ends_at_its_first_candidate_or_next_to_the_mean():
    _, edges = plain.histogram([X], 2048)
    assert amax(NvidiaMseReleased(), X) == (edges[128] + edges[129]) / 2
    assert amax(NvidiaMseReleased(start_bin=5), X) == (edges[5] + edges[6]) / 2
    far = 100 + FAR
    width = float(far.max()) / 2048
    assert amax(NvidiaMseReleased(), far) == pytest.approx(far.mean() - 8, abs=width)
    assert amax(NvidiaMseReleased(), far, bits=4) == pytest.approx(far.mean() - 4, abs=width)
    _, edges = plain.histogram([far], 2048)
    unsigned = NvidiaMseReleased(unsigned=True)
    assert amax(unsigned, far) == pytest.approx((edges[128] + edges[129]) / 2, rel=1e-6)


@pytest.mark.parametrize("observer", EVERY, ids=lambda o: type(o).__name__)
def test_zeros_give_zero(observer):
    assert amax(observer, np.zeros(50, np.float32)) == 0


@pytest.mark.parametrize("observer", EVERY, ids=lambda o: type(o).__name__)
def test_refusals(observer):
    assert observer.accepts(Target.of()) is None
    assert "per tensor only" in observer.accepts(CHANNELS)
    with pytest.raises(FailedRun, match="refuses a batch"):
        amax(observer, np.float32([np.nan]))
    with pytest.raises(FailedRun, match="No histogram"):
        amax(observer)


def test_settings_without_a_candidate():
    for kind, last in ((NvidiaEntropy, 256), (NvidiaMse, 255), (NvidiaMseReleased, 255)):
        assert kind(num_bins=256, start_bin=last).accepts(Target.of()) is None
        assert "beyond the histogram" in kind(num_bins=256, start_bin=last + 1).accepts(Target.of())
    one_bit = Target.of(QuantSpec(1))
    assert "2 bits or more" in NvidiaMse().accepts(one_bit)
    assert NvidiaMse(unsigned=True).accepts(one_bit) is None
    with pytest.raises(FailedRun, match="No bin from 9 in steps of 1"):
        candidates(9, 9, 1)
    with pytest.raises(InvalidValue, match="no percentile"):
        amax(NvidiaPercentile(-1), X)


def test_one_edge_too_many_stops_the_mse_search():
    batches = [np.float32([1.1369617]), np.float32([2.3805137])]  # 134 bins of the first width
    observer = NvidiaMse(64, 8)
    counts, edges = plain.histogram(batches, 64)
    assert (len(counts), len(edges)) == (134, 136)
    (rule,) = observer.needs
    with pytest.raises(FailedRun, match="one edge too many"):
        middles(seen_of(observer, *batches)[rule])
    assert 2.3 < amax(NvidiaPercentile(100, 64), *batches) < 2.39  # the others go on


@pytest.mark.parametrize("observer", [o for o in EVERY if not isinstance(o, NvidiaMseReleased)])
def test_pictures_mark_the_choice(observer):
    shown = observer.decision(seen_of(observer, X), Target.of())
    assert shown.chosen == (amax(observer, X),)
    assert 2 <= len(shown.x) <= 400 and (np.diff(shown.x) > 0).all()
    (curve,) = shown.curves.values()
    assert curve.shape == shown.x.shape and np.isfinite(curve).all()
    if not isinstance(observer, NvidiaPercentile):
        assert shown.x[curve.argmin()] == shown.chosen[0]
    assert observer.decision(seen_of(observer, np.zeros(9, np.float32)), Target.of()) is None


def test_the_picture_of_nan_says_so():
    shown = NvidiaEntropy().decision(seen_of(NvidiaEntropy(), FAR), Target.of())
    assert "NaN" in shown.words and shown.chosen[0] < FAR.min()


def test_the_released_search_stands_in_no_list():
    entry = OBSERVERS.entry("nvidia.mse_released")
    assert not entry.presets and entry.source in DIALECT.documents
