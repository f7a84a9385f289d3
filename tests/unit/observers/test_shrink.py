"""One factor on the whole range."""

import numpy as np
import pytest

from qviz.observers.shrink import FACTORS, ShrinkObserver, shrunk
from tests.unit.observers.watching import ends, seen_of, target


def test_a_hundred_factors_the_whole_range_first():
    assert len(FACTORS) == 100
    assert FACTORS[0] == 1 and FACTORS[-1] == 0.01
    line = shrunk(seen_of(ShrinkObserver(), [-2, 4], [np.nan, np.nan]))
    assert line.lo[0].tolist() == (-2 * FACTORS).tolist()
    assert not line.hi[1].any()


def test_the_factor_with_the_least_error_wins():
    # One bit: all four values round to the upper level, best at their mean 4.25 of 5.
    assert ends(ShrinkObserver(), [4, 4, 4, 5], aim=target(1))[0] == pytest.approx([3.4, 4.25])


def test_of_equal_errors_the_whole_range_wins():
    assert ends(ShrinkObserver(), [0, 0], [0, 3], aim=target(8)) == [[0, 0], [0, 3]]


def test_agrees_with_quantizing_value_by_value():
    x = np.random.default_rng(4).standard_t(3, 3000).astype(np.float32)
    aim = target(4, signed=True, symmetric=True)
    errors = []
    for factor in FACTORS:
        clip = np.float32(np.abs(x).max() * factor).astype(float)
        step = clip / 7
        back = np.clip(np.rint(x / step), -8, 7) * step
        errors.append(np.square(back - x.astype(float)).sum())
    best = FACTORS[int(np.argmin(errors))]
    found = ends(ShrinkObserver(), x, aim=aim)[0]
    assert found == pytest.approx([x.min() * best, x.max() * best])


def test_decision_is_the_sqnr_of_each_factor():
    observer = ShrinkObserver()
    shown = observer.decision(seen_of(observer, [4, 4, 4, 5]), target(1))
    assert shown.chosen == (0.85,)
    assert shown.x.tolist() == FACTORS[::-1].tolist()
    # sum x^2 = 73; at 0.85: 3 * 0.25^2 + 0.75^2 = 0.75; at 1: 3
    assert shown.curves["SQNR"].max() == pytest.approx(10 * np.log10(73 / 0.75))
    assert shown.curves["SQNR"][-1] == pytest.approx(10 * np.log10(73 / 3))
