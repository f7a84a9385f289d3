import numpy as np
import pytest

from qviz.metrics import clipping
from qviz.metrics.error import mse
from qviz.metrics.producers import Frame, of_rows
from qviz.quantizers.affine import typed


def totals(*values, tie="even"):
    """Step 1, codes -1..2."""
    rows = np.array([values], np.float64)
    return of_rows(rows, typed(1.0, 0, -1, 2, tie), Frame(rows.min(1), rows.max(1)))


def test_by_hand():
    t = totals(-3.0, -1.0, 0.25, 2.0, 4.0)  # -3 comes back as -1, 4 as 2
    assert clipping.clipped_low(t).tolist() == clipping.clipped_high(t).tolist() == [1]
    assert clipping.clipped(t).tolist() == [2]
    assert clipping.clipped_share(t).tolist() == [0.4]
    assert clipping.clip_mse(t).tolist() == [8 / 5]
    assert clipping.round_mse(t).tolist() == [0.0625 / 5]
    assert clipping.clipped_energy(t).tolist() == [8 / 30.0625]


def test_codes_decide_and_not_the_range():
    t = totals(2.4, 2.5, -1.5, 2.6)  # beyond the last level, but 2.4 and 2.5 round to it
    assert (clipping.clipped_low(t)[0], clipping.clipped_high(t)[0]) == (1, 1)
    away = totals(2.4, 2.5, -1.5, 2.6, tie="away")
    assert (clipping.clipped_low(away)[0], clipping.clipped_high(away)[0]) == (1, 2)


def test_clipping_and_rounding_make_the_error():
    values = np.random.default_rng(4).standard_normal(1000) * 2
    t = totals(*values)
    assert 0 < clipping.round_mse(t)[0] < clipping.clip_mse(t)[0]
    parts = clipping.clip_mse(t) + clipping.round_mse(t)
    assert parts[0] == pytest.approx(mse(t)[0], rel=4e-16)


def test_a_small_rounding_error_is_not_lost_beside_huge_clipping():
    t = totals(-1e9, 0.25, 0.25)
    assert clipping.round_mse(t).tolist() == [0.125 / 3]


def test_few_elements_may_hold_much_of_the_energy():
    t = totals(*[1.0] * 9998, 100.0, 100.0)
    assert clipping.clipped_share(t)[0] == 0.0002
    assert clipping.clipped_energy(t)[0] == pytest.approx(2 * 98**2 / (9998 + 20000))


def test_nothing_is_clipped():
    t = totals(0.0, 1.0)
    assert clipping.clipped(t)[0] == clipping.clip_mse(t)[0] == clipping.clipped_energy(t)[0] == 0


def test_without_energy_there_is_no_share_of_it():
    assert np.isnan(clipping.clipped_energy(totals(0.0, 0.0))[0])
    assert clipping.clipped_share(totals(0.0, 0.0))[0] == 0
