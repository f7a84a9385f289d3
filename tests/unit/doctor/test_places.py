"""Axes of images that hold places."""

import numpy as np
import pytest

from qviz.doctor.places import places, roughness

FLAT = np.ones(16)


def test_neighbours_of_a_ramp_are_alike_and_a_loud_one_is_so_wherever_it_is():
    ramp = 2.0 ** np.arange(16)  # neighbours 1 apart, the ends 15; any two 17 / 3
    assert roughness(ramp) == pytest.approx(30 / 16 / (17 / 3))
    for at in (0, 7, 15):  # 2 jumps of 16, as of any two: 2 x 15 of 16 x 15
        one = FLAT.copy()
        one[at] = 100
        assert roughness(one) == pytest.approx(1)
    two = FLAT.copy()
    two[[3, 4]] = 100  # still 2 jumps of 16; of any two 2 x 28 of 240
    assert roughness(two) == pytest.approx((2 / 16) / (56 / 240))


def test_both_ends_that_are_faint_are_borders():
    x = FLAT.copy()
    x[[0, 14, 15]] = 1e-3
    assert roughness(x) == 0
    x[7] = 1e-3
    assert roughness(x) > 0
    single = FLAT.copy()
    single[0] = 1e-3
    assert roughness(single) == pytest.approx(1)


def test_what_is_alike_short_or_empty_has_no_order():
    assert roughness(np.linspace(1, 1.9, 16)) == roughness(np.array([1, 2, 4.0])) == 1
    assert roughness(np.zeros(16)) == roughness(np.zeros(0)) == 1
    assert 0 < roughness(np.array([1e308, 1e-308] * 8)) < 3


def test_places_are_axis_2_and_its_twin():
    hill, far = np.exp(-((np.arange(16.0) - 8) ** 2) / 4), 9.0
    found = np.array([1, 1, far, far])
    assert places((np.ones(2), np.ones(5), hill, hill), found).tolist() == [0, 0, 1, 1]
    assert places((np.ones(2), hill, hill, np.ones(5)), found).tolist() == [0, 1, 1, 0]
    wide = np.exp(-((np.arange(24.0) - 8) ** 2) / 4)
    assert places((np.ones(2), wide, hill, np.ones(5)), found).tolist() == [0, 1, 1, 0]
    assert places((np.ones(2), np.ones(5), hill, wide), found).tolist() == [0, 0, 1, 1]
    assert not places((hill, hill, np.ones(3), np.ones(3)), found).any()  # a kernel
    assert not places((hill, hill), found[:2]).any()
