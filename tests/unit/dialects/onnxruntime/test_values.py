"""The growing histogram of values, by hand and beside onnxruntime's own."""

import numpy as np
import pytest
import torch

from qviz.dialects.onnxruntime import values
from qviz.dialects.onnxruntime.values import OrtValues
from tests.unit.dialects.onnxruntime.peer import collected, state_of, tensors


def test_growing_by_hand():
    # t = 2 with 4 bins of width 1; 3.5 needs (3.5 - 2) // 1 + 1 = 2 more on each side
    state = state_of(OrtValues(4), [np.float32([-2, 0.5]), np.float32([3.5, -1.5])])
    assert state.edges.tolist() == [-4, -3, -2, -1, 0, 1, 2, 3, 4]
    assert state.counts.tolist() == [0, 0, 2, 0, 1, 0, 0, 1]
    assert (state.lo, state.hi, state.threshold) == (-2, 3.5, 4)


def test_zeros_first_take_the_width_of_what_comes():
    state = state_of(OrtValues(4), [np.zeros(3, np.float32), np.float32([-8, 1])])
    assert state.edges.tolist() == [-8, -4, 0, 4, 8]
    assert state.counts.tolist() == [1, 0, 4, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("bins", [17, 128])
def test_states_are_onnxruntimes(dtype, bins):
    refused = 0
    for batches in tensors(bins, dtype):
        theirs, _ = collected(batches, num_bins=bins)
        ours = state_of(OrtValues(bins), batches)
        if isinstance(theirs, str):
            refused += 1
            assert ours.refused
            continue
        assert not ours.refused
        assert ours.counts.tolist() == theirs[0].tolist()
        assert ours.edges.dtype == theirs[1].dtype and ours.edges.tolist() == theirs[1].tolist()
        found = (ours.lo, ours.hi, ours.threshold)
        assert [float(v) for v in found] == [float(v) for v in theirs[2:]]
    assert 0 < refused < 40


def test_tensors_give_the_same_state():
    for batches in tensors(3):
        a = state_of(OrtValues(64), batches)
        b = state_of(OrtValues(64), [torch.from_numpy(x.copy()) for x in batches])
        assert a.refused == b.refused
        if a.counts is not None:
            assert a.counts.tolist() == b.counts.tolist()
            assert a.edges.tolist() == b.edges.tolist()


def test_a_refused_batch_ends_the_count():
    rule = OrtValues(8)
    state = state_of(rule, [np.float32([1, 2]), np.float32([np.inf]), np.float32([3])])
    assert "not finite" in state.refused or "too many" in state.refused
    assert state.counts.sum() == 2


def test_a_first_batch_far_smaller_than_the_rest_is_refused(monkeypatch):
    batches = [np.float32([1e-3]), np.float32([1e3])]
    assert "too many bins" in state_of(OrtValues(128), batches).refused
    monkeypatch.setattr(values, "MOST_BINS", 1000)
    assert "too many bins" in state_of(OrtValues(128), [np.float32([1]), np.float32([9])]).refused


def test_float64_is_read_as_float32():
    state = state_of(OrtValues(4), [np.array([0.1, -0.2])])
    assert state.edges.dtype == np.float32 and state.threshold == np.float32(0.2)
