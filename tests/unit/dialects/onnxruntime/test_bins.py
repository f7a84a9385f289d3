"""Bins as NumPy makes and fills them, for both kinds of arrays."""

import numpy as np
import pytest
import torch

from qviz.dialects.onnxruntime import bins
from qviz.stats.base import Batch


def test_edges_by_hand():
    edges = bins.equal_edges(np.float32(-1), np.float32(1), 4)
    assert edges.dtype == np.float32 and edges.tolist() == [-1, -0.5, 0, 0.5, 1]
    assert bins.equal_edges(np.float32(3), np.float32(3), 2).tolist() == [2.5, 3, 3.5]


@pytest.mark.parametrize(
    ("lo", "hi", "count", "why"),
    [
        (-np.inf, np.inf, 8, "not finite"),
        (np.nan, np.nan, 8, "not finite"),
        (-3e38, 3e38, 8, "overflows float32"),
        (0, 1e-45, 8, "8 bins are too many"),
    ],
)
def test_ranges_without_bins_say_why(lo, hi, count, why):
    with np.errstate(all="ignore"):
        assert why in bins.equal_edges(np.float32(lo), np.float32(hi), count)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_counts_are_numpys(dtype):
    rng = np.random.default_rng(0)
    for count in (1, 7, 128, 999):
        x = np.append(rng.standard_normal(3000), [np.nan, -5, 5, 2, -2]).astype(dtype)
        edges = bins.equal_edges(dtype(-2), dtype(2), count)
        wanted, _ = np.histogram(x, count, range=(dtype(-2), dtype(2)))
        assert bins.counted(Batch(x), edges).tolist() == wanted.tolist()
        assert bins.counted(Batch(torch.from_numpy(x)), edges).tolist() == wanted.tolist()


def test_values_on_edges_belong_to_the_right():
    edges = bins.equal_edges(np.float32(0), np.float32(0.3), 3)
    x = np.concatenate([edges, np.nextafter(edges, np.float32(-1))])
    wanted, _ = np.histogram(x, 3, range=(np.float32(0), np.float32(0.3)))
    assert bins.counted(Batch(x), edges).tolist() == wanted.tolist() == [2, 2, 3]


def test_counts_between_any_edges():
    edges = np.array([1, 2, 2, 5], np.float32)
    x = np.array([0.5, -1, 1.5, 2, -4, 5, 6, np.nan], np.float32)
    assert bins.counted_between(Batch(x), edges).tolist() == [2, 0, 3]
    tensor = torch.from_numpy(x)
    assert bins.counted_between(Batch(tensor), edges).tolist() == [2, 0, 3]
    assert bins.counted_between(Batch(x), edges.astype(np.float64)).tolist() == [2, 0, 3]
    assert bins.counted_between(Batch(tensor), edges.astype(np.float64)).tolist() == [2, 0, 3]


def test_extremes_leave_nan_out():
    assert bins.extremes(Batch(np.float32([3, np.nan, -1]))) == (-1, 3, True)
    assert bins.extremes(Batch(np.float32([2, 4]))) == (2, 4, False)
    assert bins.extremes(Batch(np.zeros(0, np.float32))) == (0, 0, False)
    lo, hi, odd = bins.extremes(Batch(np.float32([np.nan])))
    assert np.isnan(lo) and np.isnan(hi) and odd


def test_long_tensors_are_read_in_pieces():
    x = np.arange(2 * bins.BLOCK + 5, dtype=np.float64).reshape(1, -1)
    found = list(bins.pieces(Batch(x)))
    assert [piece.size for piece in found] == [bins.BLOCK, bins.BLOCK, 5]
    assert {piece.dtype.name for piece in found} == {"float32"}
    edges = bins.equal_edges(np.float32(0), np.float32(x.max()), 4)
    assert bins.counted(Batch(x), edges).sum() == x.size
