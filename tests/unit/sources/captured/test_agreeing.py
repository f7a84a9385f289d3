"""Values, moments and sketch of one tensor agree, or it is said what does not."""

from dataclasses import replace

import numpy as np
import pytest

from qviz.sources.base import TensorInfo
from qviz.sources.captured.agreeing import channel_ends, contradiction, disagreement
from tests.unit.models.test_tally import CASES, tallied

RNG = np.random.default_rng(8)
SMALL = RNG.normal(size=(6, 3, 5)).astype(np.float32)
LARGE = RNG.normal(size=(300, 3, 100)).astype(np.float32)


def known(*batches, axis: int | None = 1):
    """What is gathered of batches, and what is said of them."""
    tally = tallied(batches, axis)
    info = TensorInfo("x", tally.shape, tally.dtype, "", "activation", splits=tally.splits)
    return info, tally.gathered()


@pytest.mark.parametrize("name", CASES)
def test_what_was_gathered_agrees(name):
    assert contradiction(tallied(CASES[name]).gathered()) == ""


@pytest.mark.parametrize("x", [SMALL, LARGE], ids=["all values", "cells"])
@pytest.mark.parametrize(
    ("at", "factor"), [(1, -1), (2, 0.5), (2, 1.2), (3, 0.8), (4, -9), (5, 3), (5, 0.9)]
)
def test_moments_that_the_sketch_contradicts(x, at, factor):
    _, gathered = known(x, x[:2] + 1)
    moments = gathered.moments.copy()
    moments[at] *= factor
    assert contradiction(replace(gathered, moments=moments)) == "moments and their sketch"


@pytest.mark.parametrize("n", [100, 70_000])
def test_distinct_values_that_the_sketch_contradicts(n):
    _, gathered = known(RNG.integers(-3, 4, n).astype(np.float32), axis=None)
    assert gathered.distinct is not None and gathered.repeats is not None
    for other in (
        replace(gathered, repeats=gathered.repeats[::-1]),
        replace(gathered, distinct=gathered.distinct + 0.25),
        replace(gathered, distinct=gathered.distinct - 0.25),
    ):
        assert contradiction(other) == "distinct values and their sketch"
    assert contradiction(gathered) == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: x, ""),
        (lambda x: x[:-1], "shape"),
        (lambda x: x * 2, "lo, hi"),
        (lambda x: np.where(x == x.max(), np.nan, x), "hi, nan"),
        (lambda x: x[::-1], "lo, hi"),  # batches in another order
        (lambda x: x[:, ::-1], "channels"),
    ],
)
@pytest.mark.parametrize("x", [SMALL, LARGE], ids=["all values", "cells"])
def test_values_that_were_not_counted(x, change, words):
    info, gathered = known(x, 2 * x[:2], 3 * x[:2])
    assert disagreement(info, gathered, change(np.concatenate([x, 2 * x[:2], 3 * x[:2]]))) == words


def test_each_element_of_few_is_looked_at():
    info, gathered = known(SMALL)
    other = SMALL.copy()
    inner = np.argsort(SMALL, axis=None)[20]
    other.flat[inner] += 1e-3  # not beyond any extreme
    assert disagreement(info, gathered, other) == "sorted values"
    assert disagreement(info, gathered, SMALL[::-1].copy()) == ""  # the same in another order


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "bool"])
def test_extremes_of_channels(kind):
    x = RNG.integers(0, 9, (2, 3, 4)).astype(kind)
    lo, hi = channel_ends(x, 1)
    assert lo.tolist() == [float(x[:, c].min()) for c in range(3)]
    assert hi.tolist() == [float(x[:, c].max()) for c in range(3)]


def test_channels_without_a_finite_element():
    x = np.array([[1.0, np.nan], [-2.0, np.inf]])
    assert [ends.tolist() for ends in channel_ends(x, 1)] == [[-2, np.inf], [1, -np.inf]]
    assert [len(ends) for ends in channel_ends(np.zeros((0, 2)), 1)] == [2, 2]
