"""TI's bins, by hand."""

import random

import numpy as np
import pytest
import torch

from qviz.dialects.ti.histogram import TiHistogram, counted
from qviz.stats.base import Batch

RULE = TiHistogram()


def shares_of(x, rule=RULE):
    (shares,) = rule.step(rule.start(), Batch(np.asarray(x))).batches
    return shares


def test_bins_are_rounded_to_the_nearest():
    shares = shares_of(np.float32([0, 0.5, 1.5, 2.5, 255]))
    assert shares.factor == 1
    assert shares.percent.nonzero()[0].tolist() == [0, 2, 255]  # halves go to the even bin
    assert shares.percent[[0, 2, 255]].tolist() == [40, 40, 20]


def test_the_factor_is_a_reciprocal_times_255():
    # 255 / 7 is 36.42857 in float32; 1 / 7 rounded first and then multiplied is one float more.
    factor = shares_of(np.float32([0, 7])).factor
    assert factor == np.nextafter(np.float32(255 / 7), np.float32(37))


def test_arrays_and_tensors_count_alike():
    x = np.random.default_rng(0).normal(size=3000).astype(np.float32)
    lo, factor = x.min(), np.float32(255) / np.ptp(x)
    arrays, tensors = counted(x, lo, factor), counted(torch.from_numpy(x), lo, factor)
    assert arrays.sum() == 3000
    assert arrays.tolist() == tensors.tolist()


@pytest.mark.parametrize(
    "x", [[2.5, 2.5], [0, 0], [-3e38, 3e38], [0, 1e-44]], ids=["one", "zero", "wide", "narrow"]
)
def test_no_bins_without_a_usable_width(x):
    shares = shares_of(np.float32(x))
    assert shares.percent is None
    assert [shares.lo, shares.hi] == [np.float32(x[0]), np.float32(x[1])]


def test_what_is_not_finite_is_left_out():
    shares = shares_of(np.float32([np.nan, 0, 255, np.inf, -np.inf]))
    assert (shares.lo, shares.hi) == (0, 255)
    assert shares.percent[[0, 255]].tolist() == [50, 50]
    assert RULE.step(RULE.start(), Batch(np.float32([np.nan]))).batches == ()


def test_fast_mode_thins_rows_and_columns():
    x = np.arange(2 * 1 * 6 * 5, dtype=np.float32).reshape(2, 1, 6, 5)
    for seed in range(6):
        source = random.Random(seed)
        row, column = source.randint(0, 1), source.randint(0, 1)
        shares = shares_of(x, TiHistogram(True, seed))
        thinned = x[:, :, row::2, column::2]
        assert (shares.lo, shares.hi) == (thinned.min(), thinned.max())


def test_each_batch_draws_its_own_starts():
    source, rule = random.Random(11), TiHistogram(True, 11)
    x = np.arange(30, dtype=np.float32).reshape(1, 1, 6, 5)
    state = rule.start()
    for _ in range(4):
        state = rule.step(state, Batch(x))
    starts = [5 * source.randint(0, 1) + source.randint(0, 1) for _ in range(4)]
    assert len(set(starts)) > 1
    assert [shares.lo for shares in state.batches] == starts


def test_fast_mode_leaves_small_and_other_tensors_whole():
    for shape in ((1, 1, 4, 9), (1, 9, 9), (81,)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        state = TiHistogram(True).step(TiHistogram(True).start(), Batch(x))
        assert (state.batches[0].lo, state.batches[0].hi) == (0, x.size - 1)
        assert state.draws == 0
