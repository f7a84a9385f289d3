"""The growing histogram, by hand and against torch.histc."""

import numpy as np
import pytest
import torch
from torch.ao.quantization.observer import HistogramObserver

from qviz.dialects.pytorch.histogram_state import TorchHistogram, histc
from qviz.stats.base import Batch

RULE = TorchHistogram(4)


def after(*batches, rule=RULE):
    state = rule.start()
    for x in batches:
        state = rule.step(state, Batch(np.asarray(x)))
    return state


def told(state):
    return state.histogram.tolist(), float(state.min), float(state.max)


def test_first_batch_sets_the_range():
    assert told(after(np.float32([0, 1, 2, 3]))) == ([1, 1, 1, 1], 0, 3)


def test_a_batch_inside_the_range_is_added():
    first, inside = np.float32([0, 1, 2, 3]), np.float32([0, 0.7, 0.8, 3])
    assert told(after(first, inside)) == ([3, 2, 1, 2], 0, 3)


def test_a_wider_batch_moves_the_old_counts():
    # Old bins of 0.75 go into bins of 1.5: two into one. The new element ends the last bin.
    assert told(after(np.float32([0, 1, 2, 3]), np.float32([6]))) == ([2, 2, 0, 1], 0, 6)


def test_old_counts_are_split_in_sixteenths():
    # Bins of 1 (0 to 4) move into bins of 1.25 (0 to 5): 20 sixteenths each.
    old = np.float32([0, 1, 2, 3, 4])  # 1, 1, 1, 2
    moved = [1 + 4 / 16, 12 / 16 + 8 / 16, 8 / 16 + 2 * 12 / 16, 2 * 4 / 16]
    assert told(after(old, np.float32([5]))) == ([*moved[:3], moved[3] + 1], 0, 5)


def test_a_single_value_gets_a_range_of_its_own():
    assert told(after(np.float32([5, 5]))) == ([0, 0, 2, 0], 5, 5)  # (5 - 4) * 4 / (6 - 4) = 2
    assert told(after(np.float32([5, 5]), np.float32([3]))) == ([1, 0, 0, 2], 3, 5)
    large = np.float32(2**25)  # where neither 1 less nor 1 more is another float
    assert told(after(np.full(3, large))) == ([0, 3, 0, 0], 2**25, 2**25)


def test_infinite_elements_are_dropped():
    state = after(np.float32([np.inf, 0, 3, -np.inf]), np.float32([np.inf]), np.float32([]))
    assert told(state) == ([1, 0, 0, 1], 0, 3)
    assert after(np.float32([-np.inf])).unseen
    assert after(np.float32([])).unseen


def test_nan_is_counted_as_refused_and_changes_nothing():
    state = after(np.float32([0, 3]), np.float32([np.nan, 9, np.inf]), np.float32([3]))
    assert told(state) == ([1, 0, 0, 2], 0, 3)
    assert state.refused == 1


def test_nan_in_the_first_batch_spoils_all_that_follow():
    state = after(np.float32([np.nan, 1]), np.float32([]), np.float32([1, 2]))
    assert np.isnan([state.min, state.max]).all()
    assert state.refused == 2
    assert state.histogram.tolist() == [0, 0, 0, 0]


def test_a_width_that_overflows_loses_the_counts():
    assert told(after(np.float32([-3e38, 0, 3e38])))[0] == [0, 0, 0, 0]
    assert told(after(np.float32([-1.5e38, 0, 1.5e38])))[0] == [3, 0, 0, 0]


def test_ends_beyond_float32_are_forgotten_as_in_torch():
    batches = [np.array([1e300, 2e300]), np.array([1.0, 2.0])]
    theirs = HistogramObserver(bins=4)
    for x in batches:
        theirs(torch.from_numpy(x))
    assert told(after(*batches)) == ([1, 0, 0, 1], 1, 2)
    assert theirs.histogram.tolist() == [1, 0, 0, 1]


def test_a_low_end_beyond_float32_is_refused_from_the_next_batch_on():
    theirs = HistogramObserver(bins=4)
    theirs(torch.tensor([-1e300, 0.0], dtype=torch.float64))
    with pytest.raises(RuntimeError, match="not finite"):
        theirs(torch.tensor([1.0]))
    assert after(np.array([-1e300, 0.0])).refused == 0
    assert after(np.array([-1e300, 0.0]), np.float32([1])).refused == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bins", [1, 4, 64])
@pytest.mark.parametrize("peak", [1.5e38, 2e38, 3e38])  # a width that overflows, but for the first
def test_counts_move_into_a_width_beyond_float32_as_in_torch(peak, bins, dtype):
    small = np.linspace(-1, 1, 50, dtype=np.float32)
    theirs, rule = HistogramObserver(bins=bins), TorchHistogram(bins)
    state = rule.start()
    for x in (small, small.astype(dtype) * dtype(peak), small):
        theirs(torch.from_numpy(x))
        state = rule.step(state, Batch(x))
        assert state.histogram.tolist() == theirs.histogram.tolist()
        assert (state.min, state.max) == (theirs.min_val.item(), theirs.max_val.item())
    assert state.histogram.sum() >= 50  # the old counts are in the last bin


def test_a_batch_beyond_float32_after_another_is_refused_and_changes_nothing():
    first, beyond = np.float32([0, 3]), np.array([0, 1e39])
    theirs = HistogramObserver(bins=4)
    theirs(torch.from_numpy(first))
    with pytest.raises(RuntimeError, match="overflow"):
        theirs(torch.from_numpy(beyond))
    state = after(first, beyond)
    assert told(state) == ([1, 0, 0, 1], 0, 3) == (theirs.histogram.tolist(), 0, 3)
    assert state.refused == 1


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "int32", "bool"])
def test_other_types_are_counted_by_value(dtype):
    assert told(after(np.array([0, 0, 1], dtype))) == ([2, 0, 0, 1], 0, 1)


def test_bfloat16_tensors():
    state = RULE.step(RULE.start(), Batch(torch.tensor([0.0, 1, 2, 3], dtype=torch.bfloat16)))
    assert told(state) == ([1, 1, 1, 1], 0, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-42, 1e-3, 1.0, 1e30])
def test_histc_is_torch_histc(dtype, scale):
    rng = np.random.default_rng(5)
    for bins in (16, 1000, 2048):
        x = (rng.standard_t(2, 5000) * scale).astype(dtype)
        lo, hi = x.min(), x.max() * dtype(1.5)
        want = torch.histc(torch.from_numpy(x), bins, min=float(lo), max=float(hi)).numpy()
        assert want.sum() == 5000
        assert histc(x, bins, lo, hi).tolist() == want.tolist()
        assert histc(torch.from_numpy(x), bins, lo, hi).tolist() == want.tolist()


def test_a_tensor_of_several_chunks():
    x = np.random.default_rng(2).normal(size=(3, 700_000)).astype(np.float32)
    state = after(x, rule=TorchHistogram(64))
    want = torch.histc(torch.from_numpy(x), 64, min=float(x.min()), max=float(x.max()))
    assert state.histogram.tolist() == want.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_torch_says_the_same_of_ranges_of_few_floats(seed):
    rng = np.random.default_rng(seed)
    base, step = np.float32(10.0 ** rng.integers(-3, 7)), 2 ** rng.integers(0, 12)
    theirs, rule = HistogramObserver(bins=64), TorchHistogram(64)
    state = rule.start()
    for k in (1, 3, 40):
        x = base + np.spacing(base) * rng.integers(-k * step, k * step + 1, 50).astype(np.float32)
        theirs(torch.from_numpy(x))
        state = rule.step(state, Batch(x))
        assert state.histogram.tolist() == theirs.histogram.tolist()
        assert (state.min, state.max) == (theirs.min_val.item(), theirs.max_val.item())
