"""Quotients near a tie, by numbers worked by hand."""

import numpy as np
import pytest

from qviz.pipeline.element_ways import WAYS, quotients, ties, ways

STEP = 3 / 255  # the range [-0.5, 2.5] at 8 bits


def test_four_ways_of_one_quotient():
    found = ways(float(np.float32(0.052941177)), STEP)
    assert [way.name for way in found] == list(WAYS)
    assert {way.boundary for way in found} == {4.5}
    # float32 steps are 2^-21 wide at 4.5; both float32 ways round to it
    assert [way.ulps == 0 for way in found] == [True, True, False, False]
    x, scale = float(np.float32(0.052941177)), float(np.float32(STEP))
    assert found[2].ulps == pytest.approx((x / scale - 4.5) * 2**21)
    assert found[3].ulps == pytest.approx((x / STEP - 4.5) * 2**21)
    assert found[2].ulps < 0 < found[3].ulps
    assert [(way.even, way.away) for way in found] == [(4, 5), (4, 5), (4, 4), (5, 5)]


def test_ties_go_both_ways_from_zero():
    found = ways(-1.5, 1.0)
    assert {(way.quotient, way.even, way.away) for way in found} == {(-1.5, -2, -2)}
    assert {(w.even, w.away) for w in ways(-2.5, 1.0)} == {(-2, -3)}
    assert {(w.even, w.away) for w in ways(2.25, 1.0)} == {(2, 2)}


def test_the_reciprocal_rounds_twice():
    x, scale = np.float32([5.0]), 0.1
    divided, times, _, _ = quotients(x, scale)
    assert divided[0] == np.float32(5) / np.float32(0.1)
    assert times[0] == np.float32(5) * (np.float32(1) / np.float32(0.1))


def test_the_end_of_the_codes_is_the_boundary_of_a_clipped_value():
    (first, *_) = ways(100.0, 1.0, end=7.5)
    assert (first.boundary, first.ulps) == (7.5, 92.5 * 2**21)


@pytest.mark.parametrize(("x", "scale"), [(1e30, 0.1), (np.inf, 1.0), (1.0, 0.0), (np.nan, 1.0)])
def test_no_way_where_no_quotient_decides(x, scale):
    assert ways(x, scale) == ()


def test_ties_of_many():
    x = np.float32([0.5, 0.25, -1.5, 2.0, np.nan, np.inf, 3e38])
    assert ties(x, 1.0).tolist() == [True, False, True, False, False, False, False]
    assert ties(np.float32([0.052941177, 0.05294117]), STEP).tolist() == [True, False]
