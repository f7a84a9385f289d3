import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare
from qviz.pipeline.channel_facts import loud_channels
from qviz.pipeline.channel_map import channel_map
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec
from qviz.stats.stream import Stream
from tests.unit.pipeline.loud import ABSMAX, NARROW, QUIET, db, rounded, tensor

SYMMETRIC = Target.of(QuantSpec(8, signed=True, symmetric=True))
TOKENS = Target.of(QuantSpec(8, signed=True, symmetric=True), Granularity("per_token"))


def mapped(x, axis=1, observer=ABSMAX, target=SYMMETRIC):
    return channel_map(Stream.of(x), axis, observer, target)


def shown(value):
    return round(float(value), 1)


def test_one_loud_channel_hides_what_the_others_lose():
    found = mapped(tensor())
    assert shown(found.shared.overall) == 25.8 and shown(found.quiet) == 8.2
    assert found.quiet_codes == 7
    assert np.flatnonzero(found.loud).tolist() == [7]
    assert found.step == pytest.approx(1.342, abs=5e-4)
    zeros = found.shared.zeroed[QUIET].sum() / found.shared.n[QUIET].sum()
    assert 0.45 < zeros < 0.55
    assert mapped(tensor(20)).quiet_codes == 19


def test_a_percentile_trades_one_victim_for_another():
    found = mapped(tensor(), observer=OBSERVERS.make("percentile:keep=99"))
    assert (shown(found.shared.overall), shown(found.quiet)) == (3.6, 24.0)
    assert found.shared.clipped.sum() / 8192 == pytest.approx(0.01, abs=5e-4)
    assert found.shared.ee_clipped.sum() / found.shared.xx.sum() == pytest.approx(0.44, abs=5e-3)


def test_a_step_for_each_token_and_for_each_channel():
    found = mapped(tensor(), target=TOKENS)
    assert (shown(found.shared.overall), shown(found.quiet)) == (35.2, 17.6)
    assert (shown(found.own.overall), shown(found.own.together(QUIET))) == (43.7, 43.3)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_channels_under_tokens_along_every_axis(axis):
    x = np.random.default_rng(3).standard_normal((5, 7, 6)) * np.arange(1, 8)[:, None]
    found = channel_map(
        Stream.of(x), axis, ABSMAX, Target(NARROW.spec, TOKENS.granularity, NARROW.mode)
    )
    y = rounded(x, np.abs(x).max(axis=2, keepdims=True))
    others = tuple(a for a in range(3) if a != axis)
    np.testing.assert_allclose(found.shared.ee, ((y - x) ** 2).sum(axis=others), rtol=1e-9)
    np.testing.assert_allclose(found.shared.xx, (x**2).sum(axis=others), rtol=1e-12)
    steps = np.abs(x).max(axis=2, keepdims=True) / 127
    codes = np.moveaxis(np.round(x / steps), axis, 0).reshape(x.shape[axis], -1)
    assert found.codes.tolist() == [len(np.unique(row)) for row in codes]


def test_shared_and_own_errors_are_those_of_plain_arithmetic():
    x = tensor()
    found = mapped(x, target=NARROW)
    whole = rounded(x, np.abs(x).max())
    own = rounded(x, np.abs(x).max(axis=0))
    for channel in (0, 7, 63):
        assert found.shared.sqnr[channel] == pytest.approx(db(x[:, channel], whole[:, channel]))
        assert found.own.sqnr[channel] == pytest.approx(db(x[:, channel], own[:, channel]))
    assert (found.facts.lo == x.min(axis=0)).all() and (found.facts.hi == x.max(axis=0)).all()


def test_depthwise_filters_that_are_lost():
    w = np.random.default_rng(0).standard_normal((32, 9)) * np.logspace(-3, 0, 32)[:, None]
    found = mapped(w, 0)
    assert shown(found.shared.overall) == 35.0
    assert np.nanmin(found.shared.sqnr) == 0
    assert found.erased.sum() == 8 and (found.shared.sqnr < 10).sum() == 15
    assert shown(found.own.sqnr.min()) == 44.3


def test_huge_hidden_dimensions():
    r = np.random.default_rng(0)
    x = r.standard_normal((128, 512))
    x[:, 7] *= 60
    x[0, 7] = 276.5
    found = mapped(x)
    assert found.step == pytest.approx(2.177, abs=1e-3) and shown(found.quiet) == 4.1
    assert found.quiet_codes == 5
    assert shown(found.own.overall) == 40.2 and shown(found.own.together(~found.loud)) == 43.8


def test_dead_and_near_dead_channels():
    w = np.random.default_rng(0).standard_normal((4, 64)).astype("f")
    w[0] = 0
    w[1] *= 1e-6 / np.abs(w[1]).max()
    found = mapped(w, 0)
    assert found.dead.tolist() == [True, False, False, False]
    assert found.near_dead.tolist() == [False, True, False, False]
    assert found.erased.tolist() == [False, True, False, False]
    assert np.isnan(found.shared.sqnr[0]) and np.isfinite(found.own.sqnr[1])


def test_nan_and_infinities_are_left_out():
    x = tensor()
    x[3, 5], x[4, 5], x[:, 9] = np.nan, np.inf, np.nan
    found = mapped(x)
    assert found.shared.n[5] == 126 and found.shared.n[9] == 0
    assert np.isfinite(found.shared.ee).all() and found.counts.counts.sum() == 8192 - 2 - 128


def test_codes_are_those_of_finite_elements():
    x = np.array([[1, 2, np.inf, np.nan], [3, 127, 1, 1], [np.nan] * 4, [0, 0, 0, 0]])
    tokens = Target(NARROW.spec, TOKENS.granularity, NARROW.mode)
    found = mapped(x, 0, target=NARROW)  # the step is 1: no element has the code 0 in 0 and 1
    assert found.codes.tolist() == [2, 3, -1, 1]
    assert found.own_codes.tolist() == [2, 3, -1, 1]
    assert mapped(x, 0, target=tokens).codes.tolist() == [2, 3, -1, 1]
    assert found.empty.tolist() == [False, False, True, False]
    assert found.dead.tolist() == [False, False, False, True]
    assert found.told.tolist()[2:] == ["no finite value", "dead"]


def test_codes_are_counted_where_a_whole_tile_has_nothing_finite():
    x = np.random.default_rng(5).standard_normal((4000, 700)).astype("f")
    x[:2000] = np.nan
    found = mapped(x, 0, target=NARROW)
    assert len(list(Stream.of(x, Granularity("per_channel", 0)).tiles)) > 1
    assert set(found.codes[:2000]) == {-1}
    q = np.round(x[2000].astype(float) / (np.nanmax(np.abs(x)) / 127))
    assert found.codes[2000] == len(np.unique(q))


def test_many_tiles_and_batches_agree_with_one():
    x = np.random.default_rng(5).standard_normal((3000, 700)).astype("f")
    found = channel_map(Stream.of(list(x.reshape(3, 1000, 700))), 1, ABSMAX, SYMMETRIC)
    whole = mapped(x)
    np.testing.assert_allclose(found.shared.ee, whole.shared.ee, rtol=1e-12)
    np.testing.assert_allclose(found.own.ee, whole.own.ee, rtol=1e-12)
    assert (found.counts.counts == whole.counts.counts).all()
    assert (found.codes == whole.codes).all()


@pytest.mark.parametrize("name", OBSERVERS)
def test_every_observer_maps_or_says_why_not(name):
    observer = OBSERVERS[name]()
    for x, target in ((tensor().astype("f"), SYMMETRIC), (tensor().astype("f"), Target.of())):
        try:
            found = mapped(x, observer=observer, target=target)
        except QvizError as error:
            assert str(error)
        else:
            row = compare(Stream.of(x), [observer], target).rows[0]
            assert found.range.lo[0] == row.covered.lo[0]
            assert found.range.hi[0] == row.covered.hi[0]


@pytest.mark.parametrize("x", [np.ones(5), np.float32(1), np.full((2, 3), np.nan), np.ones((0, 3))])
def test_tensors_without_channels_or_elements_are_refused(x):
    with pytest.raises(QvizError):
        channel_map(Stream.of(x), 0, ABSMAX, SYMMETRIC)


def test_levels_are_kept_where_their_lines_can_be_told_apart():
    x = tensor()
    assert mapped(x).levels.size == 0
    few = Target.of(QuantSpec(3, signed=True, symmetric=True))
    assert mapped(x, target=few).levels.tolist() == [
        pytest.approx(q * np.abs(x).max() / 3) for q in range(-4, 4)
    ]


@pytest.mark.parametrize(
    ("amax", "loud"),
    [
        ([1, 1, 1, 10], [3]),
        ([1, 1, 1, 3], []),
        ([1, 1, 1, 1, 9, 6], [4, 5]),
        ([0, 0], []),
        ([], []),
    ],
)
def test_loud_channels(amax, loud):
    assert np.flatnonzero(loud_channels(np.array(amax, float))).tolist() == loud


def test_the_result_is_the_same_at_every_run():
    x = np.random.default_rng(8).standard_normal((300, 5000)).astype("f")
    a, b = mapped(x), mapped(x)
    assert a.shared.ee.tobytes() == b.shared.ee.tobytes()
    assert a.granularity == PER_TENSOR and a.own.ee.tobytes() == b.own.ee.tobytes()
