"""Tight cells against a sort of all values."""

import numpy as np
import pytest

from qviz.stats.base import NOTHING
from qviz.stats.tight import HEAVY, Tight

RNG = np.random.default_rng(5)
ODD = np.array([0.0, -0.0, 1e-42, -1e-42, np.nan, np.inf, -np.inf])


def crowded(dtype):
    """Normal values, a crowd around -10,000, one near 6, and many zeros."""
    far, near = RNG.normal(size=30_000) - 10_000, 6 + RNG.normal(size=30_000) * 1e-3
    x = np.concatenate([RNG.normal(size=60_000), far, near, np.zeros(9_000), ODD])
    return RNG.permutation(x).astype(dtype)


def state(x, *cuts, split=()):
    tight = Tight(split)
    first, *rest = (tight.of(part[None], NOTHING) for part in np.split(x, cuts))
    for part in rest:
        first = tight.merge(first, part)
    return first


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("divided", [False, True])
def test_cells_hold_each_element_between_values_that_occur(dtype, divided):
    x = crowded(dtype)
    found = state(x, split=state(x).heavy if divided else ())
    values = np.sort(x[np.isfinite(x)])
    assert found.values is None and found.n == len(x) and found.kind == dtype
    first = np.searchsorted(values, found.lows, "left")
    after = np.searchsorted(values, found.highs, "right")
    np.testing.assert_array_equal(after - first, found.counts)
    np.testing.assert_array_equal(first[1:], after[:-1])  # no element between two cells
    assert first[0] == 0 and after[-1] == len(values)
    np.testing.assert_array_equal(values[first], found.lows)
    np.testing.assert_array_equal(values[after - 1], found.highs)


@pytest.mark.parametrize("cuts", [[70_000], [30_000, 60_000], [100, 200, 129_000]])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_parts_come_to_the_same_as_the_whole(dtype, cuts):
    x = crowded(dtype)
    split = state(x).heavy
    whole, parts = state(x, split=split), state(x, *cuts, split=split)
    for name in ("n", "ranks", "lows", "highs", "counts"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_cells_are_as_narrow_as_their_code_says():
    found = state(crowded("float32"))
    wide = found.lows < found.highs
    far = np.maximum(np.abs(found.lows), np.abs(found.highs))
    normal = wide & (far > 1e-37)
    assert ((found.highs - found.lows)[normal] <= far[normal] * 2.0**-9).all()
    split = state(crowded("float32"), split=found.heavy)
    most = split.counts[split.lows < split.highs].max()
    assert most < found.counts[wide].max() / 4


def test_heavy_cells_are_those_of_a_crowd():
    found = state(crowded("float32"))
    heavy, wide = np.isin(found.ranks >> 6, found.heavy), found.lows < found.highs
    np.testing.assert_array_equal(heavy, wide & (found.counts > HEAVY * found.n))
    assert found.lows[heavy].min() < -9_990 and 5.9 < found.highs[heavy].max() < 6.1
    assert state(crowded("float16")).heavy == ()  # each value is a cell


def test_few_elements_stay_as_they_are():
    x = np.array([3, np.nan, -1, np.inf, 0], np.float32)
    found = state(x, 2)
    assert found.values is not None and found.n == 5
    np.testing.assert_array_equal(found.values, [3, np.nan, -1, np.nan, 0])


@pytest.mark.parametrize("x", [np.full(70_000, np.nan), np.full(70_000, -0.0), np.zeros(0)])
def test_little_to_count(x):
    found = state(x.astype(np.float32))
    assert len(found.counts) == (1 if len(x) and x[0] == 0 else 0)
    assert not np.signbit(found.lows).any()


def test_doubles_beyond_float32_are_counted_too():
    x = np.concatenate([RNG.normal(size=70_000), [1e300, -1e300, 2e300]])
    found = state(x)
    assert (found.lows[0], found.highs[-1]) == (-1e300, 2e300)
    assert found.counts[0] == 1 and found.counts[-1] == 2
