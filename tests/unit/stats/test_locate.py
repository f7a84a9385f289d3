"""Where the first value that is not finite lies."""

import numpy as np
import pytest

from qviz.stats.locate import first_non_finite
from qviz.stats.stream import CHUNK


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_index_counts_through_batches(odd):
    first, second = np.zeros((2, 3), "f4"), np.zeros((2, 3), "f4")
    second[1, 0] = odd
    assert first_non_finite([first, second]) == 6 + 3


def test_index_beyond_the_first_chunk():
    x = np.zeros(CHUNK + 10, "f4")
    x[CHUNK + 7] = np.nan
    assert first_non_finite([x]) == CHUNK + 7


def test_index_is_in_c_order_whatever_the_layout():
    x = np.asfortranarray(np.zeros((3, 4), "f4"))
    x[0, 2] = np.inf
    x[1, 0] = np.nan
    assert first_non_finite([x]) == 2


def test_none_where_all_are_finite():
    assert first_non_finite([np.arange(5), np.array([], "f4")]) is None


def test_a_single_value():
    assert first_non_finite([np.array(np.nan, "f4")]) == 0
    assert first_non_finite([np.array(1, "f4")]) is None
