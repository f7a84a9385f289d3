"""A tally comes to the same as a read of all batches at once, bit for bit."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.models.tally import Tally
from qviz.observers.distinct import Distinct
from qviz.stats.base import PerBatch
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream

RNG = np.random.default_rng(7)


def normal(*shape, dtype=np.float32):
    return RNG.normal(size=shape).astype(dtype)


def broken(batch):
    batch = batch.copy()
    batch[0, :4] = (np.nan, np.inf, -np.inf, 1e-40)
    return batch


CASES = {
    "few": [normal(4, 6), normal(2, 6)],
    "many": [normal(300, 300) for _ in range(3)],
    "few at first": [normal(10, 300), normal(300, 300)],
    "coarse": [np.round(normal(300, 300) * 4) / 4 for _ in range(2)],
    "half": [normal(300, 300, dtype=np.float16), normal(4, 300, dtype=np.float16)],
    "double": [normal(300, 300, dtype=np.float64)],
    "not finite": [broken(normal(300, 300)), normal(5, 300)],
    "whole": [RNG.integers(-9, 9, (5, 7)), RNG.integers(-9, 9, (2, 7))],
    "truth": [normal(5, 7) > 0],
    "nothing": [np.zeros((0, 3), np.float32)],
    "nothing, then some": [np.zeros((0, 3), np.float32), normal(2, 3)],
    "one value": [np.float32(3.5).reshape(())],
}


def tallied(batches, axis=None):
    tally = Tally(batches[0], axis)
    for batch in batches[1:]:
        tally.add(batch)
    return tally


def same(a, b):
    assert type(a) is type(b)
    for field in fields(a):
        found, wanted = getattr(a, field.name), getattr(b, field.name)
        if is_dataclass(found):
            same(found, wanted)
        else:
            np.testing.assert_array_equal(found, wanted, err_msg=field.name)


@pytest.mark.parametrize("name", CASES)
def test_statistics_are_those_of_the_batches(name):
    batches = CASES[name]
    found = tallied(batches).gathered().seen()
    recipes = (MinMax(), Moments(), PerBatch(MinMax()), Distinct())
    read = gather(Stream.of(batches).tiles[0], recipes)
    for recipe in (MinMax(), Moments(), Distinct()):
        same(found[recipe], read[recipe])
    for a, b in zip(found[PerBatch(MinMax())], read[PerBatch(MinMax())], strict=True):
        same(a, b)


@pytest.mark.parametrize("name", CASES)
def test_cells_hold_every_element_once(name):
    x = np.concatenate([np.ravel(batch) for batch in CASES[name]]).astype(np.float64)
    values = np.sort(x[np.isfinite(x)])
    found = tallied(CASES[name]).gathered().seen()[Sketch(16)]
    cells = found.cells
    assert found.n == x.size and cells.exact == found.exact == (cells.lo == cells.hi).all()
    there = cells.count[0] > 0  # others only fill up
    lo, hi = cells.lo[0][there], cells.hi[0][there]
    if x.size >= 65_536:  # each once
        first, after = np.searchsorted(values, lo, "left"), np.searchsorted(values, hi, "right")
        np.testing.assert_array_equal(after - first, cells.count[0][there])
    assert cells.count.sum() == values.size
    assert set(lo) | set(hi) <= set(values)


def test_a_crowd_is_cut_finer_whenever_it_becomes_known():
    """A narrow crowd far from 0 keeps its spread: 16 leading bits would smear it over 64."""
    far = (RNG.normal(size=90_000) * 2 - 10_000).astype(np.float32)
    for batches in ([far], [far[:20_000], far[20_000:]], [far[:10], far[10:40_000], far[40_000:]]):
        cells = tallied(batches).gathered().seen()[Sketch(16)].cells
        middle = (cells.lo + cells.hi)[0] / 2
        spread = np.average((middle + 10_000) ** 2, weights=cells.count[0])
        assert spread == pytest.approx(np.mean((far.astype(np.float64) + 10_000) ** 2), rel=0.01)


def test_extremes_of_channels_span_all_batches():
    batches = [normal(3, 4, 5, 5), normal(2, 4, 5, 5)]
    ends = tallied(batches, 1).gathered().channels
    whole = np.concatenate(batches)
    assert ends is not None and ends.axis == 1
    np.testing.assert_array_equal(ends.lo, whole.min(axis=(0, 2, 3)))
    np.testing.assert_array_equal(ends.amax, np.abs(whole).max(axis=(0, 2, 3)))


def test_extremes_of_channels_with_what_is_not_finite():
    batch = normal(3, 4, 5)
    batch[0, 1], batch[:, 2] = np.nan, np.inf
    ends = tallied([batch, normal(1, 4, 5)[:0]], 1).gathered().channels
    assert ends is not None and ends.lo[1] == batch[1:, 1].min()
    assert (ends.lo[2], ends.hi[2]) == (np.inf, -np.inf)
    whole = tallied([np.array([[-3, 5], [0, 9]], np.int8)], 1).gathered().channels
    assert whole is not None and (whole.lo.tolist(), whole.hi.tolist()) == ([-3, 5], [0, 9])


def test_batches_are_joined_along_axis_0_or_flat():
    alike = tallied([normal(3, 4), normal(2, 4)], 1)
    assert (alike.shape, alike.splits) == ((5, 4), (3, 2))
    ragged = tallied([normal(3, 4), normal(2, 5)], 1)
    assert (ragged.shape, ragged.splits) == ((22,), (12, 10))
    assert ragged.gathered().channels is None
    single = tallied([np.float32(1).reshape(())])
    assert single.shape == ()


def test_channels_that_disagree_are_dropped():
    # batches of equal length but other channel counts
    tally = tallied([normal(3, 4), normal(3, 6)], 1)
    assert tally.gathered().channels is None


def test_batches_are_joined_along_axis_0_which_holds_no_channels_then():
    one = tallied([normal(3, 4)], 0).gathered().channels
    assert one.lo.shape == (3,)
    assert tallied([normal(3, 4), normal(3, 4)], 0).gathered().channels is None


def test_what_is_no_number_is_refused():
    with pytest.raises(QvizError, match="cannot be quantized"):
        Tally(np.array(["a"]))
