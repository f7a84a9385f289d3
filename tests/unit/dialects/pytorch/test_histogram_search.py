"""The walk inwards, by hand and against the loop that PyTorch runs."""

import numpy as np
import pytest

from qviz.dialects.pytorch.histogram_search import search

ONE = np.float32(1)


def plain_candidates(histogram, lo, hi):
    """The framework's loop, without the errors: every step of both sides in turn."""
    sums = np.cumsum(histogram, dtype=np.float64).astype(np.float32)
    share, start, end, alpha, beta = float(sums[-1]), 0, len(histogram) - 1, 0.0, 1.0
    while alpha < beta:
        left, right = start, end
        while left < end and sums[left] < np.float32((alpha + 1e-5) * share):
            left += 1
        while right > start and sums[right] > np.float32((beta - 1e-5) * share):
            right -= 1
        before = start, end
        if left - start > end - right:
            start, alpha = left, alpha + 1e-5
        else:
            end, beta = right, beta - 1e-5
        if (start, end) != before:
            yield start, end


def test_an_outlier_goes_and_the_gap_before_it_stays():
    # The first step gives up the last bin. The next share to give up lies in bin 7, so the walk
    # jumps over all empty bins to 0..6, which cuts 1000 elements: refused, and the gap is kept.
    histogram = np.zeros(64, np.float32)
    histogram[:8] = 1000
    histogram[63] = 1
    walk = search(histogram, np.float32(0), np.float32(64), 256)
    assert list(zip(walk.starts, walk.ends, strict=True)) == [(0, 62), (0, 6)]
    assert walk.errors[1] > walk.errors[0]
    assert (walk.start, walk.end) == (0, 62)
    assert (walk.lo, walk.hi) == (0, 63)


def test_evenly_filled_bins_stay():
    walk = search(np.full(64, 100, np.float32), np.float32(-1), ONE, 256)
    assert (walk.lo, walk.hi) == (-1, ONE - np.float32(2 / 64))  # the first try is never refused
    assert walk.errors.size == 2


def test_the_error_of_an_undisturbed_grid():
    # 64 bins of 100 elements with four steps each, 64 to 0: the walk's first candidate gives up
    # one bin, so its step is (63 / 64) / 256 of 64, and rounding costs step^2 / 12 an element.
    walk = search(np.full(64, 100, np.float32), np.float32(0), np.float32(64), 256)
    step = 63 / 256
    inside = 6300 * step**2 / 12
    given_up = 100 * (1 / 3 + step / 2 + step**2 / 4)  # mean of (step / 2 + t)^2, t in [0, 1]
    assert walk.errors[0] == pytest.approx(inside + given_up, rel=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_the_walk_passes_where_every_single_step_passes(seed):
    rng = np.random.default_rng(seed)
    histogram = np.floor(rng.pareto(0.7, 32) * rng.integers(0, 3, 32)).astype(np.float32)
    walk = search(histogram, np.float32(-3), np.float32(2), 256)
    tried = list(zip(walk.starts.tolist(), walk.ends.tolist(), strict=True))
    assert tried
    for got, want in zip(tried, plain_candidates(histogram, -3, 2), strict=False):
        assert got == want


def test_a_range_without_width():
    histogram = np.zeros(16, np.float32)
    histogram[8] = 5
    walk = search(histogram, ONE, ONE, 256)
    assert (walk.lo, walk.hi) == (1, 1)
    assert not walk.errors.any()
    # No candidate is worse than the one before, so all are kept: 0..7, then 7..7.
    assert list(zip(walk.starts, walk.ends, strict=True)) == [(0, 7), (7, 7)]
    assert (walk.start, walk.end) == (7, 7)


def test_lost_counts_give_no_range():
    ends = np.float32(-3e38), np.float32(3e38)
    assert np.isnan(search(np.zeros(16, np.float32), *ends, 256).lo)
