"""What a sample holds: real elements, in their shares, the same however they arrive."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.stats import sample
from qviz.stats.base import NOTHING, Seen
from qviz.stats.sample import Sample
from qviz.stats.sketch import Sketch

N = 100_000


def of(rows, recipe, cuts=()):
    """State of rows that arrive in parts."""
    with np.errstate(all="ignore"):
        seen = Seen({Sketch(16): Sketch(16).of(rows, NOTHING)})
        first, *rest = (recipe.of(part, seen) for part in np.split(rows, cuts, axis=1))
        for state in rest:
            first = recipe.merge(first, state)
    return first


def normal(n=N, groups=1, dtype="float32"):
    return np.random.default_rng(10).normal(size=(groups, n)).astype(dtype)


def pairs(state, group=0):
    weights = state.weights[group]
    used = weights > 0
    return dict(zip(state.values[group][used].tolist(), weights[used].tolist(), strict=True))


@pytest.mark.parametrize("n", [1000, N])
def test_a_small_group_is_kept_whole(n):
    x = normal(n).round(1)
    state = of(x, Sample(n), (n // 3,))
    values, counts = np.unique(x, return_counts=True)
    found = {}
    for value, weight in zip(state.values[0].tolist(), state.weights[0].tolist(), strict=True):
        found[value] = found.get(value, 0) + weight
    assert found == dict(zip(values.astype(float).tolist(), counts.tolist(), strict=True))
    assert state.exact.tolist() == [True]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("limit", [10, 4096])
def test_a_large_group_gives_real_elements_that_stand_for_all(dtype, limit):
    x = normal(dtype=dtype)
    state = of(x, Sample(limit))
    found = pairs(state)
    assert 0 < len(found) <= limit
    assert set(found) <= set(x[0].astype(float).tolist())
    assert sum(found.values()) == pytest.approx(N, rel=1e-12)
    assert state.exact.tolist() == [False]


def test_the_distribution_is_kept():
    x = normal()
    state = of(x, Sample(2000))
    mean = np.average(state.values[0], weights=state.weights[0])
    square = np.average(state.values[0] ** 2, weights=state.weights[0])
    assert mean == pytest.approx(x.mean(dtype=np.float64), abs=2e-3)
    assert square == pytest.approx(np.square(x, dtype=np.float64).mean(), rel=1e-2)


def test_repeated_values_keep_their_share():
    x = np.maximum(normal(), 0)
    share = pairs(of(x, Sample(1000)))[0.0] / N
    assert share == pytest.approx((x == 0).mean(), abs=2e-3)


@pytest.mark.parametrize("limit", [100, 5000])
def test_the_order_and_the_cuts_do_not_matter(limit):
    x = normal()
    mixed = np.random.default_rng(11).permutation(x, axis=1)
    a = of(x, Sample(limit, 7))
    b = of(mixed, Sample(limit, 7), (1, 50_000, 50_001, 90_000))
    assert (a.values == b.values).all()
    assert (a.weights == b.weights).all()


def test_another_seed_draws_others():
    x = normal()
    a, b, again = (set(pairs(of(x, Sample(1000, seed)))) for seed in (0, 1, 0))
    assert a == again
    assert len(a & b) < len(a) / 2


def test_unlucky_hashes_draw_no_fewer(monkeypatch):
    monkeypatch.setattr(sample, "_hash", lambda x, seed: ~np.abs(x).view(np.uint64) | 2**63)
    x = np.arange(1, N + 1, dtype=np.float32)[None]
    state = of(x, Sample(1000), (N // 2,))
    assert sum(pairs(state).values()) == pytest.approx(N)
    assert len(pairs(state)) == 1000
    assert N in pairs(state)  # the least hash here is that of the largest


def test_groups_are_sampled_apart():
    x = np.stack([normal()[0], np.full(N, 0.1, np.float32), np.full(N, np.nan, np.float32)])
    state = of(x, Sample(50))
    assert pairs(state, 1) == {float(np.float32(0.1)): N}
    assert pairs(state, 2) == {}
    assert len(pairs(state, 0)) == 50
    assert state.exact.tolist() == [False, False, True]


def test_float64_beyond_float32_takes_part():
    x = np.tile([1e300, -2e300, 1.1, np.nan, np.inf], (1, 20_000))
    assert pairs(of(x, Sample(30_000))) == {-2e300: 20_000, 1.1: 20_000, 1e300: 20_000}


def test_no_elements():
    state = of(np.zeros((2, 0), np.float32), Sample(5))
    assert state.values.shape == (2, 0)
    assert state.exact.tolist() == [True, True]


def test_an_empty_sample_is_refused():
    with pytest.raises(QvizError, match=r"^A sample of 0 elements is empty\. Use 1 or more\.$"):
        Sample(0)
