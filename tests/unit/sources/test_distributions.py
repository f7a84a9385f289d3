import math

import numpy as np
import pytest

from qviz.sources.distributions import even, heavy_tailed, laplace, normal, scattered


def test_even_quantiles_are_the_middles_of_equal_parts():
    assert even(4).tolist() == [0.125, 0.375, 0.625, 0.875]


def test_normal_quantiles():
    x = normal(5)  # at 0.1, 0.3, 0.5, 0.7, 0.9
    assert x == pytest.approx([-1.281552, -0.524401, 0, 0.524401, 1.281552], abs=1e-6)


def test_laplace_quantiles():
    x = laplace(4)  # ln(2p) below one half, -ln(2(1 - p)) above
    assert x == pytest.approx([math.log(0.25), math.log(0.75), -math.log(0.75), -math.log(0.25)])
    assert laplace(20001).max() == pytest.approx(9.90, abs=0.005)


def test_scattering_keeps_every_element():
    assert scattered(np.arange(10), 3).tolist() == [0, 3, 6, 9, 2, 5, 8, 1, 4, 7]


def test_heavy_tails_reach_far_beyond_a_normal_distribution():
    x = heavy_tailed(100_000)
    assert x.dtype == np.float32 and x.shape == (100_000,)
    assert np.abs(x).max() > 20 * x.std() / math.sqrt(3)
    # P(|t| > 3.182) = 0.05 at 3 degrees of freedom
    assert np.mean(np.abs(x) > 3.182) == pytest.approx(0.05, abs=0.003)
    assert (heavy_tailed(10, seed=1) != heavy_tailed(10, seed=2)).any()
