import numpy as np

from qviz.metrics.bins import Frame, bin_of, counts


def frame(lo, hi):
    return Frame(np.atleast_1d(np.float64(lo)), np.atleast_1d(np.float64(hi)))


def test_bins_cover_the_frame():
    values = np.array([[0.0, 0.999, 1.0, 128.5, 255.9, 256.0]])
    assert bin_of(values, frame(0, 256)).tolist() == [[0, 0, 1, 128, 255, 255]]


def test_outside_counts_in_the_end_bins():
    values = np.array([[-1.0, -np.inf, 300.0, np.inf]])
    assert bin_of(values, frame(0, 256)).tolist() == [[0, 0, 255, 255]]


def test_each_group_has_its_own_frame():
    assert bin_of(np.array([[1.0], [1.0]]), frame([0, 1], [2, 257])).tolist() == [[128], [0]]


def test_a_frame_without_width_has_steps_of_one():
    assert bin_of(np.array([[5.0, 7.5]]), frame(5, 5)).tolist() == [[0, 2]]
    assert bin_of(np.array([[0.0]]), frame(np.inf, -np.inf)).tolist() == [[0]]


def test_values_stay_as_they_are():
    values = np.array([[1.0, 2.0]])
    bin_of(values, frame(0, 4))
    assert values.tolist() == [[1.0, 2.0]]


def test_counts_per_group():
    at = np.array([[0.0, 2.0, 2.0], [1.0, 1.0, 1.0]])
    assert counts(at, 3).tolist() == [[1, 0, 2], [0, 3, 0]]


def test_counts_with_weights():
    at, weight = np.array([[0.0, 2.0, 2.0]]), np.array([[2.0, 0.5, 0.0]])
    assert counts(at, 4, weight).tolist() == [[2, 0, 0.5, 0]]


def test_counts_of_nothing():
    assert counts(np.zeros((2, 0)), 2).tolist() == [[0, 0], [0, 0]]
