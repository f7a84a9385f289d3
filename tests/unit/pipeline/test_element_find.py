"""Searches among few values, the answer known."""

import numpy as np

from qviz.pipeline import element_find
from qviz.pipeline.element_find import Found, largest_error, nearest, next_tie
from qviz.quantizers.affine import typed

GRID = typed(1.0, 2, 0, 7)  # levels -2 to 5


def rows(*values):
    return [np.array([values], np.float32)]


def test_nearest_takes_the_first_of_equals_and_no_nan():
    assert nearest(rows(np.nan, 3, 1, 1, np.inf), 1.2) == Found(2, 5)
    assert nearest(rows(np.nan, np.inf), 0.0) == Found(None, 2)


def test_nearest_through_batches():
    assert nearest([*rows(1, 2), *rows(5, 6)], 5.4).at == 2


def test_next_tie_goes_round():
    x = rows(0.5, 0.2, 2.5, 0.25, 9.5)
    assert next_tie(x, GRID, 0) == Found(2, 2)
    assert next_tie(x, GRID, 2).at == 0  # 9.5 is clipped, so it is none
    assert next_tie(rows(0.5), GRID, 0).at == 0


def test_no_tie():
    assert next_tie(rows(0.1, 0.2), GRID, 0) == Found(None, 2)


def test_a_search_is_bounded(monkeypatch):
    monkeypatch.setattr(element_find, "MOST", 3)
    x = rows(0, 0, 0, 0, 0, 0.5)
    assert next_tie(x, GRID, 0) == Found(None, 3)
    assert nearest(x, 0.5) == Found(0, 3)


def test_largest_error():
    assert largest_error(rows(0.1, 8.5, np.inf, -2.4), GRID).at == 1  # 5 comes back: 3.5 off
    assert largest_error(rows(np.nan), GRID) == Found(None, 1)
