"""Divergences and squared errors against plain loops, and the rule for ties."""

import numpy as np
import pytest

from qviz.dialects.nvidia import search
from qviz.dialects.nvidia.search import divergences, last_least, squared_errors
from tests.unit.dialects.nvidia import plain


def test_one_divergence_by_hand():
    # bin 1 over bin 0: 2 2 | 6; two bins kept, one level: q = 2 2, p = 2 8, both normalized
    by_hand = 0.2 * np.log(0.2 / 0.5) + 0.8 * np.log(0.8 / 0.5)
    assert divergences(np.array([9, 2, 6]), 1, np.array([2])) == pytest.approx([by_hand])


def test_nothing_is_lost_where_every_bin_has_its_level():
    counts = np.array([4, 4, 1, 9])
    assert divergences(counts, 4, np.array([4])) == pytest.approx([0], abs=1e-15)
    assert divergences(counts, 4096, np.array([4])) == pytest.approx([0], abs=1e-15)


def test_empty_bins():
    counts = np.array([0, 0, 0, 5, 0, 3])
    found = divergences(counts, 2, np.array([2, 3, 4, 5, 6]))
    assert np.isnan(found[:2]).all()  # nothing is kept
    assert np.isfinite(found[2]) and np.isinf(found[3])  # an empty last bin gets a tail
    assert last_least(found) == 1


@pytest.mark.parametrize("near", [0.0, np.inf])
@pytest.mark.parametrize("levels", [1, 3, 8, 64])
def test_every_candidate_is_that_of_a_plain_loop(levels, near, monkeypatch):
    monkeypatch.setattr(search, "NEAR", near)  # by sums alone; then all of them bin by bin
    rng = np.random.default_rng(levels)
    for density in (0.1, 0.5, 1.0):
        counts = rng.integers(0, 30, 60) * (rng.random(60) < density)
        counts[1] += 1
        kept = np.arange(2, 61)
        wanted = [plain.divergence(counts, levels, k) for k in kept.tolist()]
        found = divergences(counts, levels, kept)
        assert found == pytest.approx(np.array(wanted), rel=1e-9, abs=1e-12, nan_ok=True)


def test_the_original_counts_stay():
    counts = np.array([7, 2, 1])
    divergences(counts, 2, np.array([2]))
    assert counts.tolist() == [7, 2, 1]


@pytest.mark.parametrize(
    ("found", "at"), [([3, 1, 1, 2], 2), ([np.inf, np.inf], 1), ([np.nan, 0, np.nan, 0], 2)]
)
def test_the_last_of_equals_and_nan_before_all(found, at):
    assert last_least(np.array(found, float)) == at


def test_squared_errors():
    counts, middles = np.array([3, 0, 2, 1]), np.array([0.5, 1.5, 2.5, 3.5])
    clips = np.array([1.5, 2.5, 3.5])
    # clip 1.5, last 1: codes 0 1 1 1, since a third of a step goes to 0
    assert squared_errors(counts, middles, clips, 1)[0] == 3 * 0.25 + 2 * 1 + 1 * 4
    for last in (1, 7, 127):
        wanted = [plain.squared_error(counts, middles, clip, last) for clip in clips]
        assert squared_errors(counts, middles, clips, last) == pytest.approx(wanted, rel=1e-12)
    assert squared_errors(counts, middles, np.zeros(1), 7).tolist() == [3 * 0.25 + 12.5 + 12.25]
