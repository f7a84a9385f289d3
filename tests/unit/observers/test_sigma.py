"""Mean and standard deviations."""

import numpy as np
import pytest

from qviz.observers.sigma import SigmaObserver
from tests.unit.observers.watching import ends


def test_unbiased_and_not_cut_to_the_data():
    # mean 3, squared deviations 4 + 0 + 4 over 2: std 2
    assert ends(SigmaObserver(k=3), [1, 3, 5]) == [[-3, 9]]


def test_one_element_is_its_own_range_and_none_is_zero():
    assert ends(SigmaObserver(), [7]) == [[7, 7]]
    assert ends(SigmaObserver(), [np.nan, np.nan], [2, 2]) == [[0, 0], [2, 2]]


def test_a_long_row_agrees_with_its_formula():
    x = np.random.default_rng(0).normal(5, 2, 1000).astype(np.float32)
    exact = x.astype(np.float64)
    wanted = [exact.mean() - 4 * exact.std(ddof=1), exact.mean() + 4 * exact.std(ddof=1)]
    assert ends(SigmaObserver(k=4), x)[0] == pytest.approx(wanted, rel=1e-12)
