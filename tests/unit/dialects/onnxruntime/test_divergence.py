"""The entropy search's divergences: by hand, by a plain loop, and by onnxruntime's choice."""

import numpy as np
import pytest

from qviz.dialects.onnxruntime.divergence import divergences, half_widths, kept
from qviz.dialects.onnxruntime.errors import FailedAssertion, InvalidValue
from tests.unit.dialects.onnxruntime.peer import collected


def plain(counts, levels, half):
    """One divergence bin by bin, in float64."""
    start, end = kept(half, len(counts))
    inside = [int(c) for c in counts[start:end]]
    p = list(inside)
    p[0] += int(sum(counts[:start]))
    p[-1] += int(sum(counts[end:]))
    wide = len(p) // levels
    q = [0] * len(p)
    for level in range(levels):
        bins = range(level * wide, (level + 1) * wide)
        total = sum(inside[b] for b in bins)
        if level == levels - 1:
            total += sum(inside[levels * wide :])
        used = sum(p[b] != 0 for b in bins)
        for b in bins:
            q[b] = int(total / used) if used else 0
    if not any(p) or not any(q):
        return np.inf
    p, q = smooth(p), smooth(q)
    p, q = p / p.sum(), q / q.sum()
    return float((p * np.log(p / q)).sum())


def smooth(counts):
    counts = np.array(counts, float)
    empty = counts == 0
    return np.where(empty, 1e-4, counts - 1e-4 * empty.sum() / (~empty).sum())


def test_what_is_kept():
    assert half_widths(8, 4).tolist() == [2, 3, 4]
    assert [kept(half, 8) for half in (2, 3, 4)] == [(2, 7), (1, 8), (0, 8)]
    assert half_widths(128, 128).tolist() == [64]  # the defaults: a single candidate
    with pytest.raises(InvalidValue, match="nothing to choose"):
        half_widths(64, 128)


def test_one_candidate_by_hand():
    # bins 1 3 | 2 2, two levels: q = 2 2 2 2, p = 1 3 2 2, all of 8; ln 1 = 0 for the last two
    by_hand = (np.log(1 / 2) + 3 * np.log(3 / 2)) / 8
    found = divergences(np.array([1, 3, 2, 2]), 2)
    assert found[-1] == pytest.approx(by_hand, rel=1e-6)


def test_shares_are_cut_to_whole_numbers():
    # 1 + 2 over two bins are 1.5 each: the integers 1 1; 2 + 2 stay 2 2
    q, p = np.array([1, 1, 2, 2]) / 6, np.array([1, 2, 2, 2]) / 7
    by_hand = float((p * np.log(p / q)).sum())
    assert divergences(np.array([1, 2, 2, 2]), 2)[-1] == pytest.approx(by_hand, rel=1e-5)


@pytest.mark.parametrize("bins", [16, 17, 40])
@pytest.mark.parametrize("levels", [1, 2, 5, 8])
def test_every_candidate_is_that_of_a_plain_loop(bins, levels):
    rng = np.random.default_rng(bins + levels)
    for _ in range(20):
        counts = rng.integers(0, 9, bins) * (rng.random(bins) < rng.choice([0.2, 0.6, 1.0]))
        found = divergences(counts, levels)
        wanted = [plain(counts, levels, half) for half in half_widths(bins, levels).tolist()]
        assert found == pytest.approx(np.array(wanted), rel=1e-4, abs=2e-6)


def test_too_few_occupied_bins_stop_it():
    counts = np.zeros(30_001, np.int64)
    counts[15_000] = 5
    with pytest.raises(FailedAssertion, match="1 of 30001 bins are occupied"):
        divergences(counts, 30_001)


@pytest.mark.parametrize("levels", [4, 16])
def test_the_choice_is_onnxruntimes(levels):
    rng = np.random.default_rng(levels)
    for bins in (16, 65, 128):
        for _ in range(6):
            x = rng.standard_t(3, 500).astype(np.float32)
            x = x if rng.random() < 0.5 else np.abs(x) + np.float32(rng.random() * 5)
            histogram, ends = collected([x], "entropy", num_bins=bins, num_quantized_bins=levels)
            found = divergences(histogram[0], levels)
            start, end = kept(half_widths(bins, levels)[found.argmin()], bins)
            edges = histogram[1]
            assert float(max(edges[start], histogram[2])) == float(ends[0])
            assert float(min(edges[end], histogram[3])) == float(ends[1])
