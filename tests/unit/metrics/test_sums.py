import numpy as np
import pytest

from qviz.metrics.sums import Adder

ROWS = np.array([[1.0, -2.0, 4.0], [0.0, 3.0, -5.0]])
WEIGHT = np.array([[2.0, 0.0, 1.0], [1.0, 1.0, 0.0]])


def adder(weight=None):
    return Adder.of(ROWS.shape, weight)


def test_without_weights():
    add = adder()
    assert add.n().tolist() == [3, 3]
    assert add.sum(ROWS).tolist() == [3, -2]
    assert add.dot(ROWS, ROWS).tolist() == [21, 34]
    assert [v.tolist() for v in add.magnitudes(ROWS)] == [[7, 8], [4, 5]]
    assert [v.tolist() for v in add.ends(ROWS)] == [[-2, -5], [4, 3]]
    assert add.count(ROWS > 0).tolist() == [2, 1]
    assert add.sum_at(np.array([1, 2, 4]), np.array([5.0, 6.0, 7.0])).tolist() == [11, 7]


def test_with_weights():
    add = adder(WEIGHT)
    assert add.n().tolist() == [3, 2]
    assert add.sum(ROWS).tolist() == [6, 3]
    assert add.dot(ROWS, ROWS).tolist() == [18, 9]
    assert [v.tolist() for v in add.magnitudes(ROWS)] == [[6, 3], [4, 3]]
    assert [v.tolist() for v in add.ends(ROWS)] == [[1, 0], [4, 3]]
    assert add.count(ROWS > 0).tolist() == [3, 1]
    assert add.sum_at(np.array([0, 2, 4]), np.array([5.0, 6.0, 7.0])).tolist() == [16, 7]


def test_a_weight_for_all_rows():
    assert adder(np.array([[1.0, 0.0, 2.0]])).sum(ROWS).tolist() == [9, -10]


def test_what_is_added_stays_as_it_is():
    before, add = ROWS.copy(), adder(WEIGHT)
    add.sum(ROWS), add.dot(ROWS, ROWS), add.magnitudes(ROWS)
    assert (before == ROWS).all()


def test_nothing_counts():
    lo, hi = adder(np.zeros((1, 3))).ends(ROWS)
    assert lo.tolist() == [np.inf, np.inf] and hi.tolist() == [-np.inf, -np.inf]
    assert adder().sum_at(np.array([], int), np.array([])).tolist() == [0, 0]


@pytest.mark.parametrize("groups", [3, 200])
def test_many_rows_are_counted_as_few_are(groups):
    mask = np.arange(groups)[:, None] > np.arange(7)
    expected = [min(row, 7) for row in range(groups)]
    assert Adder.of(mask.shape, None).count(mask).tolist() == expected
