import math
from dataclasses import replace

import numpy as np
import pytest

from qviz.metrics import error
from qviz.metrics.producers import Frame, of_rows
from qviz.quantizers.affine import typed
from tests.unit.metrics.grids import Codebook


def totals(*values, quantizer=None):
    """Step 1/2, codes 0..2: levels 0, 1/2, 1."""
    rows = np.array([values], np.float64)
    quantizer = quantizer or typed(0.5, 0, 0, 2)
    return of_rows(rows, quantizer, Frame(rows.min(1), rows.max(1)))


FOUR = (0.0, 0.6, 1.0, 2.0)  # comes back as 0, 0.5, 1, 1; e = 0, -0.1, 0, -1

BY_HAND = {
    "mse": 1.01 / 4,
    "rmse_steps": math.sqrt(1.01 / 4) / 0.5,
    "sqnr": 10 * math.log10(5.36 / 1.01),
    "sqnr_centered": 10 * math.log10((0.81 + 0.09 + 0.01 + 1.21) / 1.01),
    "psnr": 10 * math.log10(4 / (1.01 / 4)),
    "cosine": 3.3 / math.sqrt(5.36 * 2.25),
    "max_abs_error": 1.0,
    "mean_abs_error": 1.1 / 4,
    "bias": -1.1 / 4,
    "bias_steps": -0.55,
    "relative_l1": 1.1 / 3.6,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    assert getattr(error, name)(totals(*FOUR)).tolist() == [pytest.approx(BY_HAND[name], rel=1e-13)]


def test_pure_rounding_costs_a_twelfth_of_a_step_squared():
    values = (np.arange(1000) + 0.5) / 1000 - 0.5  # one step, evenly
    t = totals(*values, quantizer=typed(1.0, 0, -1, 1))
    assert error.rmse_steps(t)[0] == pytest.approx(1 / math.sqrt(12), rel=1e-6)
    half = totals(*values, *np.zeros(1000), quantizer=typed(1.0, 0, -1, 1))
    assert error.rmse_steps(half)[0] == pytest.approx(1 / math.sqrt(24), rel=1e-6)


def test_a_large_mean_flatters_sqnr_only():
    t = totals(100.0, 101.0, quantizer=typed(101 / 3, 0, 0, 3))
    assert error.sqnr(t)[0] > 40
    assert error.sqnr_centered(t)[0] == pytest.approx(10 * math.log10(0.5 / 1.0))


def test_nothing_lost_is_infinite():
    for name in ("sqnr", "sqnr_centered", "psnr"):
        assert getattr(error, name)(totals(0.0, 0.5, 1.0))[0] == np.inf


def test_no_energy():
    zeros = totals(0.0, 0.0)
    for name in ("sqnr", "sqnr_centered", "psnr", "cosine", "relative_l1", "js"):
        assert np.isnan(getattr(error, name)(zeros)[0]), name
    assert error.mse(zeros)[0] == error.bias(zeros)[0] == error.max_abs_error(zeros)[0] == 0


def test_a_constant_has_no_spread():
    t = totals(0.3, 0.3)
    for name in ("sqnr_centered", "psnr", "js"):
        assert np.isnan(getattr(error, name)(t)[0]), name
    assert error.sqnr(t)[0] == pytest.approx(10 * math.log10(0.09 / 0.04))


def test_nothing_comes_back():
    t = totals(0.1, 0.2)
    assert np.isnan(error.cosine(t)[0])
    assert error.sqnr(t)[0] == pytest.approx(0.0, abs=1e-12)


def test_cosine_stays_within_one():
    t = totals(0.5, 0.5, 1.0)
    assert error.cosine(t)[0] == pytest.approx(1.0) and error.cosine(t)[0] <= 1.0
    opposite = replace(t, xy=-t.xy)
    assert error.cosine(opposite)[0] >= -1.0


def test_an_uneven_grid_has_no_steps():
    t = totals(*FOUR, quantizer=Codebook())
    assert np.isnan(error.rmse_steps(t)[0]) and np.isnan(error.bias_steps(t)[0])
    assert error.mse(t)[0] > 0


def test_no_element():
    rows = np.array([[np.nan]])
    t = of_rows(rows, typed(0.5, 0, 0, 2), Frame(np.array([np.inf]), np.array([-np.inf])))
    for name in (*BY_HAND, "js"):
        assert np.isnan(getattr(error, name)(t)[0]), name


def test_divergence_by_hand():
    # x: a quarter in each of four bins; y: a quarter, a quarter, a half, none
    t = totals(0.0, 1.0, 2.0, 3.0, quantizer=typed(1.0, 0, 0, 2))
    moved = 0.5 * (0.25 * math.log(0.25 / 0.375) + 0.5 * math.log(0.5 / 0.375))
    lost = 0.5 * 0.25 * math.log(0.25 / 0.125)
    assert error.js(t)[0] == pytest.approx(moved + lost, rel=1e-12)


def test_divergence_of_strangers_is_ln_two():
    t = totals(0.6, 0.7, quantizer=typed(1e-3, 0, 0, 1))  # both come back near 0: the first bin
    other = replace(t, x_bins=np.eye(256)[[9]] * 2)
    assert error.js(other)[0] == pytest.approx(math.log(2), rel=1e-12)


def test_divergence_of_the_same_is_zero():
    assert error.js(totals(0.0, 0.5, 1.0))[0] == 0.0


def test_divergence_needs_bins():
    assert np.isnan(error.js(replace(totals(*FOUR), y_bins=None))[0])


def test_squares_beyond_float64_are_no_number():
    t = totals(1e200, 2e200, quantizer=typed(1e200, 0, 0, 1))
    for name in ("mse", "sqnr", "sqnr_centered", "cosine"):
        assert np.isnan(getattr(error, name)(t)[0]), name
    assert error.max_abs_error(t)[0] == pytest.approx(1e200)
    assert error.relative_l1(t)[0] == pytest.approx(1 / 3)
