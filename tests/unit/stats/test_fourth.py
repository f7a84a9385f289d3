"""Fourth powers of deviations, against NumPy over the whole."""

import numpy as np
import pytest

from qviz.stats.base import NOTHING
from qviz.stats.fourth import Fourth

RNG = np.random.default_rng(6)


def state(x, *cuts):
    first, *rest = (Fourth().of(part[None], NOTHING) for part in np.split(x, cuts))
    for part in rest:
        first = Fourth().merge(first, part)
    return first


def test_by_hand():
    # 0, 0, 0, 4: mean 1, deviations -1, -1, -1, 3
    found = state(np.array([0.0, 0, 0, 4]), 1, 2)
    assert (found.n, found.mean, found.m2, found.m3, found.m4) == (4, 1, 12, 24, 84)
    assert found.kurtosis == 4 * 84 / 144


@pytest.mark.parametrize("cuts", [(), (7,), (0, 50_000), (20_000, 20_001)])
@pytest.mark.parametrize("scale", [1.0, 1e30, 1e-30])
def test_sums_are_those_of_all_elements(cuts, scale):
    x = ((RNG.standard_t(3, 60_000) + 5) * scale).astype(np.float32)
    found, wide = state(x, *cuts), x.astype(np.float64)
    off = wide - wide.mean()
    assert found.mean == pytest.approx(wide.mean(), rel=1e-12)
    for power, sum_of in ((2, found.m2), (3, found.m3), (4, found.m4)):
        assert sum_of == pytest.approx((off**power).sum(), rel=1e-9)
    assert found.kurtosis == pytest.approx((off**4).mean() / (off**2).mean() ** 2, rel=1e-9)


def test_what_is_not_finite_is_left_out():
    x = np.array([0, np.nan, 0, np.inf, 0, -np.inf, 4], np.float32)
    assert state(x, 2, 4).kurtosis == pytest.approx(84 * 4 / 144)


@pytest.mark.parametrize(
    "x", [[], [np.nan], [3.0, 3.0], [1e200, -1e200], [1e-200, 0.0], [1e300, 1e300, -1e308]]
)
def test_without_spread_or_beyond_float64_there_is_none(x):
    assert state(np.array(x), 1).kurtosis is None
