from dataclasses import replace

import numpy as np
import pytest

from qviz.metrics import codes
from qviz.metrics.producers import Frame, of_rows
from qviz.quantizers.affine import typed


def totals(*values):
    """Step 1, codes 0..7."""
    rows = np.array([values], np.float64)
    return of_rows(rows, typed(1.0, 0, 0, 7), Frame(rows.min(1), rows.max(1)))


def test_codes_by_hand():
    t = totals(0.0, 1.0, 1.2, 2.0, 9.0, 7.0, 7.0, 8.0)  # codes 0 1 1 2 7 7 7 7
    assert codes.codes_used(t).tolist() == [4]
    assert codes.code_entropy(t).tolist() == [0.125 * 3 * 2 + 0.25 * 2 + 0.5]


def test_one_code_says_nothing():
    t = totals(3.0, 3.1, 2.9)
    assert codes.codes_used(t).tolist() == [1]
    assert str(codes.code_entropy(t)[0]) == "0.0"


def test_all_codes_alike_use_all_bits():
    assert codes.code_entropy(totals(*range(8))).tolist() == [3.0]


def test_parts_of_elements_use_no_code():
    t = replace(totals(0.0), codes=np.array([[0.4, 0.6, 0.0, 3.0]]))
    assert codes.codes_used(t).tolist() == [2]


def test_uncounted_codes():
    t = replace(totals(1.0, 2.0), codes=None)
    assert np.isnan(codes.codes_used(t)[0]) and np.isnan(codes.code_entropy(t)[0])


def test_zeroed_share_by_hand():
    t = totals(0.0, -0.0, 0.4, -2.0, 0.6, 3.0)  # 0.4 and -2 come back as 0
    assert codes.zeroed_share(t).tolist() == [0.5]


def test_zeros_cannot_be_zeroed():
    assert np.isnan(codes.zeroed_share(totals(0.0, 0.0))[0])


def test_no_element():
    rows = np.zeros((1, 0))
    t = of_rows(rows, typed(1.0, 0, 0, 7), Frame(np.array([np.inf]), np.array([-np.inf])))
    assert codes.codes_used(t).tolist() == [0]
    assert np.isnan(codes.code_entropy(t)[0])


def test_entropy_of_even_noise():
    values = np.random.default_rng(6).uniform(-0.5, 7.5, 200_000)
    assert codes.code_entropy(totals(*values))[0] == pytest.approx(3.0, abs=1e-4)
