"""Importance weights: of every element, or of an axis."""

import numpy as np

from qviz.ui.doctor.others import spread


def test_weights_of_an_axis_hold_along_the_others():
    assert spread(np.array([1.0, 2.0]), (2, 3), 0).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert spread(np.array([1.0, 2.0, 3.0]), (2, 3), 1).tolist() == [[1, 2, 3], [1, 2, 3]]
    assert spread(np.array([1.0, 2.0]), (3, 2, 2), 1)[2].tolist() == [[1, 1], [2, 2]]


def test_weights_of_every_element_stay():
    weights = np.arange(6.0).reshape(2, 3)
    assert spread(weights, (2, 3), None) is weights
