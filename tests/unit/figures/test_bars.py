import math

import numpy as np
import pytest

from qviz.figures.bars import Bar, bars, heading, written
from tests.unit.figures.small import compared

SPIKE = [0, 1, 2, 3] * 1000 + [30]


def test_bars_come_best_first_and_refused_ones_last():
    comparison = compared(SPIKE, "shy", "minmax", "typed")
    typed, minmax, shy = bars(comparison.rows)
    # step 1: only 30 is cut to 3; step 10: 0 to 3 all become 0
    assert typed.value == pytest.approx(10 * math.log10(14_900 / 27**2))
    assert minmax.value == pytest.approx(10 * math.log10(14_900 / 14_000))
    assert (typed.text, minmax.text) == ("13.1", "0.3")
    assert (typed.lo, typed.hi) == (0, 3)
    assert (minmax.covered_lo, minmax.covered_hi) == (0, 30)
    assert shy == Bar("Shy", 0, 0, 0, 0, None, "–", "shy", refused="per channel only")
    assert not typed.approximate


def test_a_lower_mse_is_better():
    first, second = bars(compared(SPIKE, "minmax", "typed").rows, "mse")
    assert (first.spelling, second.spelling) == ("typed", "minmax")
    assert first.value == pytest.approx(729 / 4001)
    assert first.text == "0.182"


def test_what_loses_nothing_stands_first():
    first, second = bars(compared([0, 1, 2, 3], "typed:hi=3.3", "typed").rows)
    assert (first.spelling, first.text, first.value) == ("typed", "exact", None)
    assert second.value is not None


def test_a_bias_is_best_near_zero():
    first, second = bars(compared([0, 1, 2, 3, 2.9], "typed:hi=2", "minmax").rows, "bias")
    # step 1: 0 1 2 3 3 comes back; step 2/3: 0 4/3 2 2 2
    assert (first.spelling, second.spelling) == ("minmax", "typed:hi=2")
    assert first.value == pytest.approx(0.02, abs=1e-6)
    assert second.value == pytest.approx((1 / 3 - 1 - 0.9) / 5, abs=1e-6)


def test_several_groups_show_their_widest_range():
    x = [[0, 1, 2, 3], [-6, 0, 3, 6]]
    (made,) = bars(compared(x, "minmax", bits=8, granularity="per_channel:0").rows)
    assert (made.lo, made.hi) == (-6, 6)


def test_a_sketch_is_said_to_be_approximate():
    x = np.random.default_rng(0).normal(size=1_000_001)
    (made,) = bars(compared(x, "minmax", bits=8).rows)
    assert made.approximate


def test_values_are_written_in_their_unit():
    assert written(12.345, "sqnr") == "12.3"
    assert written(0.2, "clipped_energy") == "20 %"
    assert written(1.234e-5, "mse") == "1.23×10⁻⁵"
    assert written(123_456.0, "clipped") == "123,456"
    assert written(None, "sqnr") == "–"
    assert heading("sqnr") == "SQNR, dB"
    assert heading("mse") == "MSE, units²"
