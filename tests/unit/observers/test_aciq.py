"""The closed forms of ACIQ: their constants, their spread, their range."""

import math

import numpy as np
import pytest

from qviz.observers.aciq import (
    AciqGaussObserver,
    AciqLaplaceObserver,
    deviation,
    gauss_clip,
    laplace_clip,
    population_std,
)
from qviz.stats.cells import Cells
from tests.unit.observers.watching import ends, target

BITS = (1, 2, 3, 4, 8, 16)


@pytest.mark.parametrize("bits", BITS)
def test_constants_solve_their_equations(bits):
    c = laplace_clip(bits)
    assert math.exp(-c) == pytest.approx(c / (3 * 4**bits), rel=1e-12)
    c = gauss_clip(bits)
    density = math.sqrt(2 / math.pi) * math.exp(-c * c / 2)
    assert density == pytest.approx(c * math.erfc(c / math.sqrt(2)) + c / (3 * 4**bits), rel=1e-12)


def test_published_constants():
    assert [laplace_clip(b) for b in (2, 3, 4, 8)] == pytest.approx(
        [2.8307, 3.8972, 5.0286, 9.8968], abs=5e-5
    )
    assert [gauss_clip(b) for b in (2, 3, 4, 8)] == pytest.approx(
        [1.7106, 2.1516, 2.5591, 3.9240], abs=5e-5
    )


@pytest.mark.parametrize("bits", [2, 4])
def test_the_constant_is_the_best_clip(bits):
    """Clipping plus rounding of a Laplace distribution, in numbers, is least there."""
    clips = np.linspace(0.5, 12, 24_000)
    loss = 2 * np.exp(-clips) + clips**2 / (3 * 4**bits)
    assert clips[loss.argmin()] == pytest.approx(laplace_clip(bits), abs=1e-3)


def test_deviation_of_values_and_of_wide_cells():
    values = np.array([[-1.0, 2.0, 5.0]])
    exact = Cells(values, values, np.array([[1, 1, 2]]), True)
    mean = np.array([2.75])
    assert deviation(exact, mean) == pytest.approx([(3.75 + 0.75 + 2 * 2.25) / 4])
    wide = Cells(np.array([[0.0, 4.0]]), np.array([[4.0, 6.0]]), np.array([[3, 1]]), False)
    # about 1: 3 * (1 + 9) / 8 in the first cell, 4 in the second
    assert deviation(wide, np.array([1.0])) == pytest.approx([(3.75 + 4) / 4])
    nothing = Cells(np.zeros((1, 0)), np.zeros((1, 0)), np.zeros((1, 0), int), True)
    assert deviation(nothing, np.zeros(1)).tolist() == [0]


def test_ranges_lie_about_the_mean_and_in_the_data():
    x = np.random.default_rng(0).laplace(3, 1, 2000)
    far = np.abs(x - x.mean()).mean() * laplace_clip(3)
    found = ends(AciqLaplaceObserver(), x, aim=target(3), dtype=np.float64)[0]
    assert found == pytest.approx([x.mean() - far, x.mean() + far], rel=1e-12)
    far = x.std() * gauss_clip(3)
    found = ends(AciqGaussObserver(), x, aim=target(3), dtype=np.float64)[0]
    assert found == pytest.approx([x.mean() - far, x.mean() + far], rel=1e-12)
    assert ends(AciqLaplaceObserver(), [0, 0, 1], aim=target(8)) == [[0, 1]]
    assert ends(AciqGaussObserver(), [0, 0, 1], aim=target(8)) == [[0, 1]]


def test_a_sketch_comes_close():
    x = np.random.default_rng(1).laplace(size=70_000).astype(np.float32)
    few, many = (ends(AciqLaplaceObserver(), v, aim=target(4))[0] for v in (x[:65_000], x))
    wide = np.abs(x - x.mean(dtype=np.float64)).mean(dtype=np.float64) * laplace_clip(4)
    assert (many[1] - many[0]) / 2 == pytest.approx(wide, rel=1e-4)
    assert few == pytest.approx(many, rel=0.05)


def test_groups_are_served_each():
    one, two = [1, 2, 3, 9], [-4, 0, 0, 1]
    for observer in (AciqLaplaceObserver(), AciqGaussObserver()):
        both = ends(observer, one, two, aim=target(2))
        assert both == [ends(observer, v, aim=target(2))[0] for v in (one, two)]


def test_population_std():
    assert population_std(np.array([32.0, 0]), np.array([8.0, 0])).tolist() == [2, 0]
