"""Corners, saw-tooth and levels in view, by hand."""

import numpy as np
import pytest

from qviz.figures.grid_data import part
from qviz.quantizers.affine import typed
from tests.unit.figures.grids import data


def test_levels_codes_and_counts():
    found = data()
    assert found.levels.tolist() == [-1, 0, 1, 2] and found.codes.tolist() == [0, 1, 2, 3]
    assert found.counts.tolist() == [3, 2, 1, 1]  # -4, -1, -0.9 | 0, 0.4 | 0.6 | 5
    assert found.half == 0.5 and not found.fine
    assert found.covered == (-1.0, 2.0)
    narrow = data(view=(-0.5, 1.5))
    assert narrow.codes.tolist() == [1, 2] and narrow.counts.tolist() == [2, 1]


def test_the_staircase_has_its_corners_at_the_ties():
    x, y = data().stairs
    assert np.allclose(x, [-3, -0.5, -0.5, 0.5, 0.5, 1.5, 1.5, 4], atol=1e-6)
    assert y.tolist() == [-1, -1, 0, 0, 1, 1, 2, 2]


def test_the_error_is_exact_at_the_corners():
    x, e = data().error
    assert np.allclose(e, [2, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -2], atol=1e-6)
    assert x.size == 8


def test_levels_too_many_to_draw_are_outlined():
    found = data(typed(2.0**-10, 2048, 0, 4095), (-3.0, 3.0))
    assert found.fine and found.levels.size == 4096
    inside = np.abs(found.error[0]) < 1.9
    assert np.abs(found.error[1][inside]).max() <= found.half * (1 + 1e-6)
    assert found.half == 2.0**-11
    assert found.stairs[0].size < 1100


@pytest.mark.parametrize(
    ("lo", "hi", "x", "y"),
    [
        (0.5, 1.5, [0.5, 1.0, 1.0, 1.5], [0.5, 1.0, 0.0, 0.5]),
        (-np.inf, 0.25, [0.0, 0.25], [0.0, 0.25]),
        (1.0, np.inf, [1.0, 2.0], [0.0, 1.0]),
        (3.0, 4.0, [], []),
        (1.0, 1.0, [], []),
    ],
)
def test_part_of_a_saw_tooth(lo, hi, x, y):
    teeth = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0, 1.0])
    found = part(teeth, lo, hi)
    assert found[0].tolist() == x and found[1].tolist() == y
