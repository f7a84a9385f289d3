"""Equal bins, by hand and against NumPy."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.stats.base import NOTHING, Seen
from qviz.stats.linear_histogram import LinearHistogram
from qviz.stats.minmax import MinMax

TOP = np.finfo(np.float64).max


def of(rows, bins, dtype="float32"):
    rows = np.array(rows, dtype)
    with np.errstate(all="ignore"):
        seen = Seen({MinMax(): MinMax().of(rows, NOTHING)})
    return LinearHistogram(bins).of(rows, seen)


def test_two_groups():
    state = of([[0, 1, 2, 3, 4], [-8, -8, -7, 0, 0]], 4)
    assert state.counts.tolist() == [[1, 1, 1, 2], [3, 0, 0, 2]]  # the last bin is closed
    assert state.edges.tolist() == [[0, 1, 2, 3, 4], [-8, -6, -4, -2, 0]]


def test_an_inner_edge_belongs_to_the_bin_above_it():
    assert of([[0, 0.49999, 0.5, 1]], 2).counts.tolist() == [[2, 2]]


def test_what_is_not_finite_is_in_no_bin():
    state = of([[np.nan, 0, np.inf, 1, -np.inf], [5, 6, 7, 8, 9]], 2)
    assert state.counts.tolist() == [[1, 1], [2, 3]]


@pytest.mark.parametrize("value", [5.0, 0.0, -1e8, 5e-324, 1e300, TOP, -TOP])
@pytest.mark.parametrize("bins", [1, 7, 2048])
def test_a_constant_lies_inside_a_narrow_range(value, bins):
    state = of([[value] * 3], bins, "float64")
    edges = state.edges[0]
    ulp = np.spacing(abs(value) / 2)
    assert state.counts.sum() == 3
    assert np.isfinite(edges).all()
    assert edges[0] <= value <= edges[-1]
    assert ulp * bins <= edges[-1] - edges[0] <= 8 * ulp * max(bins, 2)
    assert (np.diff(edges) >= 0).all()


def test_a_constant_lies_in_the_middle():
    assert of([[5.0] * 3], 2048).counts[0, 1024] == 3


def test_neighbouring_floats_are_told_apart():
    low = np.float64(1.0)
    state = of([[low, np.nextafter(low, 2)]], 4, "float64")
    assert sorted(state.counts[0].tolist()) == [0, 0, 1, 1]


def test_a_range_that_overflows_float64():
    state = of([[-TOP, -TOP / 4, 0, TOP / 4, TOP]], 4, "float64")
    assert state.counts.tolist() == [[1, 1, 2, 1]]
    assert state.edges[0] == pytest.approx([-TOP, -TOP / 2, 0, TOP / 2, TOP], rel=1e-15)


def test_subnormals():
    tiny = 5e-324
    state = of([[0, tiny, 2 * tiny, 3 * tiny]], 3, "float64")
    assert state.counts.tolist() == [[1, 1, 2]]


def test_groups_without_finite_elements_are_empty():
    state = of([[np.nan] * 2, [1, 2]], 3)
    assert state.counts.tolist() == [[0, 0, 0], [1, 0, 1]]
    assert np.isfinite(state.edges).all()
    assert of(np.zeros((2, 0)), 3).counts.tolist() == [[0, 0, 0]] * 2


@pytest.mark.parametrize("shape", [(1, 150_000), (40, 3000), (3000, 40)])
def test_equals_numpy_within_one_element_at_an_edge(shape):
    x = np.random.default_rng(7).normal(size=shape).astype(np.float32)
    state = of(x, 100)
    for group in range(0, shape[0], 17):
        counts, edges = np.histogram(x[group].astype(np.float64), 100)
        assert np.abs(state.counts[group] - counts).sum() <= 2
        assert np.allclose(state.edges[group], edges, rtol=1e-13)


def test_parts_add_up():
    x = np.random.default_rng(8).normal(size=(3, 1000)).astype(np.float32)
    seen = Seen({MinMax(): MinMax().of(x, NOTHING)})
    recipe = LinearHistogram(50)
    both = recipe.merge(recipe.of(x[:, :300], seen), recipe.of(x[:, 300:], seen))
    assert (both.counts == recipe.of(x, seen).counts).all()
    assert both.counts.sum(axis=1).tolist() == [1000] * 3


@pytest.mark.parametrize("bins", [0, -1, 2049, 2.5])
def test_bins_that_are_not_offered(bins):
    with pytest.raises(QvizError, match=rf"^{bins} bins are not offered\. Choose 1 to 2048\.$"):
        LinearHistogram(bins)


def test_too_many_counts_are_refused():
    with pytest.raises(QvizError, match=r"10,000 groups with 2048 bins each are too large"):
        of(np.zeros((10_000, 1)), 2048)
