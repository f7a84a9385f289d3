"""One read for all observers; tiles, channels and repeats give the same numbers."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from qviz.errors import QvizError
from qviz.metrics.reading import read
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.selection import default_observers
from qviz.pipeline import compare, with_channels
from qviz.pipeline.judging import COARSE, FINE, judge, settle, too_coarse
from qviz.quantizers.affine import AffineQuantizer, typed
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax
from qviz.stats.stream import CHUNK, Stream

MINMAX = OBSERVERS.make("minmax")
BY_CHANNEL = Granularity("per_channel", 0)


def noise(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@dataclass(frozen=True)
class Given(Observer):
    """Gives qparams itself."""

    def range(self, seen, target):
        return typed(0.5, 2, 0, 7)


@dataclass(frozen=True)
class Infinite(Observer):
    """Has no finite range."""

    def range(self, seen, target):
        return Range(-np.inf, np.inf)


def test_min_max_of_three_values_by_hand():
    x = np.array([-1.0, 0.0, 3.0], np.float32)
    row = compare(Stream.of(x), [MINMAX], Target.of(QuantSpec(2))).rows[0]
    assert (row.range.lo[0], row.range.hi[0]) == (-1.0, 3.0)
    assert row.qparams["scale"][0] == 4 / 3
    assert row.qparams["zero_point"][0] == 1  # round(0.75)
    assert row.ends == (0, 3)
    errors = np.array([-4 / 3 + 1, 0.0, 8 / 3 - 3])
    assert read("mse", row.totals)[0].value == pytest.approx((errors**2).mean(), rel=1e-12)


def test_tiles_give_what_each_channel_gives_alone():
    x = noise(24, 3, 20_000) * np.arange(1, 25, dtype=np.float32)[:, None, None]
    assert x.size > CHUNK
    observers = [OBSERVERS.make(s) for s in ("minmax", "percentile", "sigma", "absmax")]
    whole = compare(Stream.of(x, BY_CHANNEL), observers, Target.of(granularity=BY_CHANNEL))
    assert whole.seen is None  # several tiles keep ranges and totals only
    for at in (0, 11, 23):
        alone = compare(Stream.of(x[at]), observers, Target.of())
        for row, single in zip(whole.rows, alone.rows, strict=True):
            assert row.range.lo[at] == single.range.lo[0]
            assert row.range.hi[at] == single.range.hi[0]
            assert row.qparams["scale"][at] == single.qparams["scale"][0]
            assert row.totals.ee[at] == pytest.approx(single.totals.ee[0], rel=1e-12)
            assert (row.totals.codes[at] == single.totals.codes[0]).all()


def test_what_was_gathered_before_is_not_read_again():
    stream = Stream.of(noise(70_000))
    first = compare(stream, [MINMAX], Target.of())
    told = []
    again = compare(
        stream, [MINMAX], Target.of(), have=first.seen, progress=lambda *n: told.append(n)
    )
    assert not told
    assert again.rows[0].totals.ee[0] == first.rows[0].totals.ee[0]


def test_given_qparams_overrule_the_mode_and_the_covered_range_is_drawn():
    row = compare(Stream.of(noise(100)), [Given()], Target.of()).rows[0]
    assert row.range is None
    assert row.ends == (0, 7)
    assert (row.covered.lo[0], row.covered.hi[0]) == (-1.0, 2.5)


def test_a_refusal_is_a_row_with_its_reason():
    channels = Stream.of(noise(4, 10), BY_CHANNEL)
    target = Target.of(granularity=BY_CHANNEL)
    rows = compare(channels, [OBSERVERS.make("torch.histogram"), MINMAX], target).rows
    assert "per tensor" in rows[0].refused
    assert rows[0].totals is None
    assert rows[1].refused is None


def test_a_range_without_ends_is_refused():
    comparison = compare(Stream.of(noise(10)), [Infinite(), MINMAX], Target.of())
    assert "not finite" in comparison.rows[0].refused
    assert [row.spelling for row in comparison.served] == ["minmax"]


def test_a_channel_of_nan_gets_an_empty_range_and_the_others_their_own():
    x = noise(3, 50)
    x[1] = np.nan
    row = compare(Stream.of(x, BY_CHANNEL), [MINMAX], Target.of(granularity=BY_CHANNEL)).rows[0]
    assert (row.range.lo[1], row.range.hi[1]) == (0.0, 0.0)
    assert row.range.hi[2] == x[2].max()
    assert row.totals.n.tolist() == [50, 0, 50]


@pytest.mark.parametrize("x", [np.array([], "f4"), np.full(9, np.nan, "f4")], ids=["empty", "nan"])
def test_nothing_finite_is_told(x):
    row = compare(Stream.of(x), [MINMAX], Target.of()).rows[0]
    assert "no finite element" in row.refused


def test_settle_raises_for_a_refused_target():
    seen = gather(Stream.of(noise(5)).tiles[0], (MinMax(), COARSE))
    target = Target.of(QuantSpec(1, signed=True, symmetric=True))
    with pytest.raises(QvizError, match="full_range"):
        settle(MINMAX, seen, target)


def test_large_tensors_are_judged_from_the_sketch_and_on_request_exactly():
    stream = Stream.of(noise(1_100_000))
    target = Target.of(QuantSpec(4))
    live, exact = (compare(stream, [MINMAX], target, exact=e).rows[0].totals for e in (False, True))
    assert (live.made, exact.made) == ("sketch", "exact")
    assert live.ee[0] == pytest.approx(exact.ee[0], rel=1e-3)
    assert live.ee[0] != exact.ee[0]


def test_half_types_are_exact_whatever_the_size():
    stream = Stream.of(noise(1_100_000).astype(np.float16))
    totals = compare(stream, [MINMAX], Target.of()).rows[0].totals
    x = stream.batches[0].astype(np.float64)
    scale = (x.max() - x.min()) / 255
    zero = np.rint(-x.min() / scale)
    y = (np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * scale
    assert totals.made == "exact"
    assert totals.ee[0] == pytest.approx(((y - x) ** 2).sum(), rel=1e-9)


def test_wide_doubles_are_counted_one_by_one():
    x = noise(1_100_000).astype(np.float64)
    x[7] = 1e300  # float32 does not hold it
    assert compare(Stream.of(x), [MINMAX], Target.of()).rows[0].totals.made == "exact"


def test_coarse_cells_call_for_the_fine_sketch():
    stream = Stream.of(np.abs(noise(1_100_000)))
    seen = gather(stream.tiles[0], (MinMax(), COARSE))
    hi = seen[MinMax()].hi[0]
    assert too_coarse(seen, AffineQuantizer(np.array([hi / 255]), np.array([0]), 0, 255))
    assert not too_coarse(seen, AffineQuantizer(np.array([hi / 15]), np.array([0]), 0, 15))
    comparison = compare(stream, [MINMAX], Target.of())
    assert FINE in comparison.seen
    row = comparison.rows[0]
    exact = judge(stream.tiles[0], comparison.seen, row.quantizer, exact=True)
    apart = 10 * abs(np.log10(row.totals.ee[0] / exact.ee[0]))
    assert apart < 0.002


def test_channels_are_judged_under_the_whole_tensors_grid():
    x = noise(5, 200)
    x[3] *= 0.01
    stream = Stream.of(x)
    comparison = with_channels(compare(stream, [MINMAX], Target.of()), stream, 0)
    row = comparison.rows[0]
    y = row.quantizer.fake_quantize(x.reshape(1, -1)).reshape(x.shape)
    by_hand = 10 * np.log10((x.astype(float) ** 2).sum(1) / ((y - x.astype(float)) ** 2).sum(1))
    assert read("worst_channel", row.totals, row.channels)[0].value == pytest.approx(by_hand.min())
    assert by_hand.argmin() == 3


def test_channels_of_a_per_channel_comparison_are_its_own_rows():
    stream = Stream.of(noise(4, 30), BY_CHANNEL)
    comparison = compare(stream, [MINMAX], Target.of(granularity=BY_CHANNEL))
    assert with_channels(comparison, stream, 0).rows[0].channels is comparison.rows[0].totals
    assert with_channels(comparison, stream, 1).rows[0].channels is None
    assert with_channels(comparison, stream, None) is comparison


def test_batches_of_unequal_channel_counts_have_no_channels():
    stream = Stream.of([noise(4, 10), noise(3, 10)])
    comparison = with_channels(compare(stream, [MINMAX], Target.of()), stream, 0)
    assert comparison.rows[0].channels is None


@pytest.mark.parametrize("threads", [1, 2])
def test_repeats_are_bitwise_the_same(threads):
    before = torch.get_num_threads()
    x = torch.from_numpy(noise(300_000))
    try:
        torch.set_num_threads(threads)
        streams = [*[Stream.of(x)] * 20, Stream.of(x.numpy())]
        results = {_bits(compare(s, default_observers(), Target.of())) for s in streams}
    finally:
        torch.set_num_threads(before)
    assert len(results) == 1


def _bits(comparison):
    rows = comparison.rows
    ranges = b"".join(row.range.lo.tobytes() + row.range.hi.tobytes() for row in rows)
    return ranges + b"".join(row.totals.ee.tobytes() + row.totals.codes.tobytes() for row in rows)
