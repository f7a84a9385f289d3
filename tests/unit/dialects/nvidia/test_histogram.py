"""The growing histogram of magnitudes, by hand and beside torch's own functions."""

import numpy as np
import pytest
import torch

from qviz.dialects.nvidia import histogram
from qviz.dialects.nvidia.histogram import NvidiaMagnitudes, histc
from qviz.stats.base import Batch
from tests.unit.dialects.nvidia import plain


def state_of(rule, *batches):
    state = rule.start()
    for x in batches:
        state = rule.step(state, Batch(x))
    return state


def test_by_hand():
    state = state_of(NvidiaMagnitudes(4), np.float32([-8, 1, 3, 0]))
    assert state.edges.tolist() == [0, 2, 4, 6, 8] and state.counts.tolist() == [2, 1, 0, 1]
    state = state_of(NvidiaMagnitudes(4), np.float32([8, 1]), np.float32([-11, 5]))
    assert state.edges.tolist() == [0, 2, 4, 6, 8, 10, 12]
    assert state.counts.tolist() == [1, 0, 1, 1, 0, 1]  # 8 stays in the last of four bins


def test_zeros_may_be_left_out():
    x = np.float32([0, 0, 1, 4])
    assert state_of(NvidiaMagnitudes(2), x).counts.tolist() == [3, 1]
    assert state_of(NvidiaMagnitudes(2, skip_zeros=True), x).counts.tolist() == [1, 1]
    zeros = np.zeros(3, np.float32)
    assert state_of(NvidiaMagnitudes(4), zeros).counts.tolist() == [0, 0, 3, 0]
    assert state_of(NvidiaMagnitudes(4), zeros, zeros).counts.tolist() == [0, 0, 6, 0]


@pytest.mark.parametrize("skip_zeros", [False, True])
@pytest.mark.parametrize("bins", [16, 333, 2048])
def test_states_are_torchs(bins, skip_zeros):
    rng = np.random.default_rng(bins)
    for _ in range(25):
        batches = [
            (rng.standard_normal(rng.integers(2, 500)) * 2.0 ** rng.uniform(-1, 1))
            for _ in range(rng.integers(1, 5))
        ]
        batches = [np.maximum(x, 0) if rng.random() < 0.3 else x for x in batches]
        batches = [np.append(x, 1).astype(np.float32) for x in batches]
        counts, edges = plain.histogram(batches, bins, skip_zeros)
        for given in (batches, [torch.from_numpy(x) for x in batches]):
            ours = state_of(NvidiaMagnitudes(bins, skip_zeros), *given)
            assert ours.counts.tolist() == counts.tolist()
            assert np.array_equal(ours.edges, edges) and ours.edges.dtype == np.float32


ONE = np.float32([1, 2])


@pytest.mark.parametrize(
    ("batches", "why"),
    [
        ([np.zeros(0, np.float32)], "empty"),
        ([ONE, np.zeros(0, np.float32)], "empty"),
        ([np.float32([1, np.nan])], "NaN"),
        ([np.float32([np.inf])], "infinities"),
        ([ONE, np.float32([-np.inf])], "infinities"),
        ([np.float32([3e38])], "near the end of float32"),
        ([np.zeros(2, np.float32), ONE], "too many bins"),
    ],
)
def test_what_is_refused_ends_the_count(batches, why):
    state = state_of(NvidiaMagnitudes(4), *batches, ONE)
    assert why in state.refused
    assert state.counts is None or state.counts.sum() == 2


def test_a_later_nan_costs_what_is_negative_or_beyond():
    x = np.float32([np.nan, 0.5, -0.5, 7])
    counts = state_of(NvidiaMagnitudes(4), ONE, x).counts
    assert counts.sum() == 3
    wanted = torch.histc(torch.from_numpy(x), bins=4, min=0, max=2).int()
    first = torch.histc(torch.from_numpy(ONE), bins=4, min=0, max=2).int()
    assert counts.tolist() == (wanted + first).tolist()


def test_far_larger_batches_are_refused(monkeypatch):
    monkeypatch.setattr(histogram, "MOST_BINS", 10)
    assert "too many bins" in state_of(NvidiaMagnitudes(4), ONE, 9 * ONE).refused


def test_what_lies_beyond_is_not_counted():
    x = np.float32([0, 1, 2, 3, -1])
    assert histc(x, 2, np.float32(2)).tolist() == [1, 2]
