"""The growing histogram of magnitudes, by hand and beside onnxruntime's own."""

import numpy as np
import pytest
import torch

from qviz.dialects.onnxruntime.magnitudes import OrtMagnitudes
from tests.unit.dialects.onnxruntime.peer import collected, state_of, tensors


def test_it_starts_at_the_least_magnitude():
    # |x| = 1, 3, 5 in two bins of width 2; 0.5 lies below the first edge and is lost
    state = state_of(OrtMagnitudes(2), [np.float32([-1, 3, -5])])
    assert state.edges.tolist() == [1, 3, 5] and state.counts.tolist() == [1, 2]
    state = state_of(OrtMagnitudes(2), [np.float32([-1, 3, -5]), np.float32([0.5, -8, 1.5])])
    assert state.edges.tolist() == [1, 3, 5, 7, 9]
    assert state.counts.tolist() == [2, 2, 0, 1]
    assert (state.lo, state.hi) == (-8, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("bins", [16, 512])
def test_states_are_onnxruntimes(dtype, bins):
    refused = 0
    for batches in tensors(bins + 1, dtype):
        theirs, _ = collected(batches, symmetric=True, num_bins=bins)
        ours = state_of(OrtMagnitudes(bins), batches)
        if isinstance(theirs, str):
            refused += 1
            assert ours.refused
            continue
        assert not ours.refused
        assert ours.counts.tolist() == theirs[0].tolist()
        assert ours.edges.dtype == theirs[1].dtype and ours.edges.tolist() == theirs[1].tolist()
        assert (float(ours.lo), float(ours.hi)) == (float(theirs[2]), float(theirs[3]))
    assert 0 < refused < 40


def test_tensors_give_the_same_state():
    for batches in tensors(5):
        a = state_of(OrtMagnitudes(64), batches)
        b = state_of(OrtMagnitudes(64), [torch.from_numpy(x.copy()) for x in batches])
        assert a.refused == b.refused
        if a.counts is not None:
            assert a.counts.tolist() == b.counts.tolist()
            assert a.edges.tolist() == b.edges.tolist()


ONE = np.float32([1, 2])


@pytest.mark.parametrize(
    ("batches", "why"),
    [
        ([np.float32([1, np.nan])], "NaN"),
        ([ONE, np.zeros(0, np.float32)], "empty"),
        ([ONE, np.float32([np.inf])], "too many bins"),
        ([np.float32([np.inf])], "not finite"),
    ],
)
def test_what_is_refused(batches, why):
    assert why in state_of(OrtMagnitudes(4), [*batches, ONE]).refused


def test_a_later_nan_is_left_out():
    state = state_of(OrtMagnitudes(4), [ONE, np.float32([np.nan, -1.5])])
    assert state.counts.sum() == 3 and state.lo == -1.5
