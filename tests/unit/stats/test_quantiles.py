"""Exact quantiles against NumPy's, and how little is kept for them."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.stats.base import NOTHING, Seen
from qviz.stats.quantiles import ExactQuantiles
from qviz.stats.sketch import Sketch

SHARES = (0.0, 0.001, 0.25, 0.5, 0.9, 0.99999, 1.0)
N = 150_000


def of(rows, shares=SHARES, parts=1):
    recipe = ExactQuantiles(shares)
    with np.errstate(all="ignore"):
        seen = Seen({Sketch(16): Sketch(16).of(rows, NOTHING)})
        first, *rest = (recipe.of(part, seen) for part in np.array_split(rows, parts, axis=1))
        for state in rest:
            first = recipe.merge(first, state)
    return first


def draws(kind):
    rng = np.random.default_rng(9)
    normal = rng.normal(size=(2, N))
    return {
        "normal": normal,
        "relu": np.maximum(normal, 0),
        "narrow": 100 + rng.random((2, N)) / 100,  # one or two cells hold everything
        "wide": normal * 10.0 ** rng.uniform(-30, 30, (2, N)),
        "subnormal": normal * 1e-40,
        "constant": np.full((2, N), -0.3),
        "integers": rng.integers(-3000, 3000, (2, N)),
    }[kind]


KINDS = ("normal", "relu", "narrow", "wide", "subnormal", "constant", "integers")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("parts", [1, 3])
def test_equals_numpy(kind, dtype, parts):
    with np.errstate(over="ignore"):
        x = draws(kind).astype(dtype)
    got = of(x, parts=parts).values
    for group in (0, 1):
        finite = x[group][np.isfinite(x[group])].astype(np.float64)
        assert got[group].tolist() == np.quantile(finite, SHARES).tolist()


def test_few_elements_by_hand():
    got = of(np.array([[4, 1, np.nan, 3, np.inf], [1, 1, 1, 1, 2]], np.float32), (0.0, 0.75, 1.0))
    assert got.values.tolist() == [[1, 3.5, 4], [1, 1, 2]]
    assert not got.kept


def test_groups_without_finite_elements_have_quantile_0():
    assert of(np.full((1, 3), np.nan, np.float32), (0.5,)).values.tolist() == [[0]]
    assert of(np.full((2, N), np.nan, np.float32), (0.5,)).values.tolist() == [[0], [0]]
    assert of(np.zeros((2, 0), np.float32), (0.5,)).values.tolist() == [[0], [0]]
    rows = np.full((2, N), np.inf, np.float32)
    rows[1] = np.arange(N)
    assert of(rows, (0.5, 1.0)).values.tolist() == [[0, 0], [(N - 1) / 2, N - 1]]


def test_float64_beyond_float32():
    x = np.tile([1e300, -1e300, 2.1, np.inf, -np.inf, np.nan, 3e300, 1e-300], (1, 20_000))
    finite = x[np.isfinite(x)]
    shares = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    assert of(x, shares).values[0].tolist() == np.quantile(finite, shares).tolist()


def test_only_elements_of_the_wanted_cells_are_kept():
    x = draws("normal").astype(np.float32)
    kept = of(x, (0.001, 0.999)).kept
    assert len(kept) <= 2 * 4
    assert sum(len(part.values) for part in kept.values()) < N / 50


def test_a_cell_that_holds_most_elements_keeps_each_value_once():
    zeros = of(draws("relu").astype(np.float32), (0.25,)).kept
    assert {len(part.values) for part in zeros.values()} == {1}
    patterns = np.arange(65_536, dtype=np.uint32) + 0x3F80_0000  # a whole cell of float32
    x = np.tile(patterns.view(np.float32), (1, 4))
    (cell,) = of(x, (0.5,), parts=4).kept.values()
    assert len(cell.values) == 65_536
    assert (cell.counts == 4).all()


def test_exact_cells_need_no_elements():
    assert not of(draws("normal").astype(np.float16)).kept


@pytest.mark.parametrize(
    ("shares", "given"), [((), "none"), ((0.5, 1.5), "0.5, 1.5"), ((float("nan"),), "nan")]
)
def test_shares_that_are_none(shares, given):
    with pytest.raises(QvizError, match=rf"^Quantiles for the shares: {given}\. Shares lie"):
        ExactQuantiles(shares)
