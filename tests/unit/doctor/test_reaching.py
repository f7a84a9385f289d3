"""How far a range goes beyond most of the values."""

import numpy as np
import pytest

from qviz.doctor import Case
from qviz.doctor.reaching import reach, sizes


def test_the_largest_beside_that_below_which_almost_all_lie():
    x = np.r_[np.linspace(-1, 1, 2001), 8.0]
    found = reach(Case.of(x))
    usual = np.sort(np.abs(x))[int(np.ceil(0.999 * 2002)) - 1]
    assert (found.largest, found.share, found.usual) == (8, 0.999, pytest.approx(usual))
    assert found.ratio == pytest.approx(8 / usual) and found.end == pytest.approx(5 * usual)
    assert found.told == "99.9 % of the values"
    assert reach(Case.of(np.r_[x[:-1], 4.5])) is None
    assert reach(Case.of(x, observer="manual:lo=-2,hi=2")) is None  # the range ends there


def test_a_gap_parts_the_values_that_are_not_0():
    x = np.r_[np.zeros(5000), np.linspace(0.5, 1, 700), np.linspace(350, 400, 300)]
    found = reach(Case.of(x))
    assert found.share == pytest.approx(0.7, abs=0.02) and 0.9 < found.usual <= 1
    assert found.told.endswith("% of the values that are not 0")
    assert found.end == 2 * found.usual
    assert reach(Case.of(np.r_[np.linspace(0.5, 1, 700), np.linspace(9, 12, 300)])) is None
    many = np.r_[np.linspace(0.5, 1, 700), np.linspace(100, 120, 300)]
    assert reach(Case.of(many)) is None  # 300 times where they are many
    few = reach(Case.of(np.r_[np.tile(many[:700], 10), np.linspace(100, 120, 300)]))
    assert few.far == 50 and few.share == pytest.approx(0.96, abs=0.01)
    assert reach(Case.of(np.geomspace(1e-6, 1, 1000))) is None


@pytest.mark.parametrize(("small", "told"), [(1e-3, True), (1e-6, False)])
def test_dust_beside_many_values_is_as_good_as_nothing(small, told):
    x = np.r_[np.linspace(small / 2, small, 5000), np.linspace(1, 3, 5000)]
    assert (reach(Case.of(x)) is not None) == told
    assert reach(Case.of(np.r_[x[:5000], 3.0])) is not None  # beside one value it is the data


def test_sizes_of_cells():
    case = Case.of(np.array([-3.0, 1, 2]))
    assert sizes(case)[case.cells.count[0] > 0].tolist() == [3, 1, 2]
