"""The entropy search against a plain loop over its definition."""

import numpy as np
import pytest

from qviz.observers.entropy import EntropyObserver, divergences
from tests.unit.observers.watching import ends, seen_of, target


def plain(counts, levels, kept):
    """D for one number of bins kept, bin by bin."""
    inside = counts[:kept]
    if not inside.any() or 2 * inside.sum() < counts.sum():
        return np.inf
    p = inside.astype(float).copy()
    p[np.flatnonzero(inside)[-1]] += counts[kept:].sum()
    q = np.zeros(kept)
    for level in range(levels):
        first, last = level * kept // levels, (level + 1) * kept // levels
        here = inside[first:last]
        for at in range(first, last):
            q[at] = here.sum() / np.count_nonzero(here) if inside[at] else 0
    p, q = p[p > 0] / p.sum(), q[p > 0] / q.sum()
    return float((p * np.log(p / q)).sum())


@pytest.mark.parametrize("levels", [1, 2, 3, 8])
@pytest.mark.parametrize("bins", [8, 32])
def test_divergences_are_those_of_the_definition(levels, bins):
    rng = np.random.default_rng(levels * bins)
    counts = rng.integers(0, 5, (6, bins)) * (rng.random((6, bins)) < 0.7)
    kept = np.arange(bins, levels - 1, -1)
    found = divergences(counts.astype(float), levels, kept)
    wanted = [[plain(row, levels, k) for k in kept] for row in counts]
    assert found == pytest.approx(np.array(wanted), abs=1e-12)


def test_as_many_levels_as_bins_clip_nothing():
    # 8 elements: 8 bins; both signs: 8 of 16 levels
    assert ends(EntropyObserver(), [-1, 2, 3, 4, 5, 6, 7, 90], aim=target(4)) == [[-1, 90]]


def test_a_far_element_is_clipped_and_the_near_end_stays():
    x = np.r_[np.tile([0.5, 1.5, 1.5, 1.5, 2.5, 3.5, 3.5, 3.5], 300), 60, -0.25]
    lo, hi = ends(EntropyObserver(), x, aim=target(4))[0]
    assert lo == -0.25
    assert 3.5 <= hi < 5


def test_groups_of_one_and_of_both_signs_are_each_served():
    x = np.random.default_rng(0).laplace(size=4096).astype(np.float32)
    both = ends(EntropyObserver(), x, np.abs(x), aim=target(4))
    alone = [ends(EntropyObserver(), row, aim=target(4))[0] for row in (x, np.abs(x))]
    assert both == alone


def test_a_sketch_and_its_values_nearly_agree():
    x = np.random.default_rng(1).laplace(size=65_535).astype(np.float32)
    more = np.append(x, np.float32(0))  # one zero more: now it is sketched
    values, sketch = (ends(EntropyObserver(), v, aim=target(4))[0] for v in (x, more))
    # at most one clip apart: 16 of 2,048 bins of the largest magnitude
    assert sketch == pytest.approx(values, abs=float(np.abs(x).max()) * 16.5 / 2048)


def test_decision_marks_the_least():
    x = np.random.default_rng(2).laplace(size=5000)
    observer = EntropyObserver()
    seen = seen_of(observer, x)
    shown = observer.decision(seen, target(4))
    curve = shown.curves["divergence"]
    assert shown.chosen[0] == shown.x[curve.argmin()]
    assert shown.marks["largest magnitude"] == pytest.approx(np.abs(x).max())
    chosen = observer.range(seen, target(4))
    assert max(-chosen.lo[0], chosen.hi[0]) == pytest.approx(shown.chosen[0])


def test_nothing_to_weigh_shows_nothing():
    observer = EntropyObserver()
    assert observer.decision(seen_of(observer, [1, 2]), target(8)) is None
