"""The step beside that of a range of the data, and whether channels made it."""

import numpy as np
import pytest

from qviz.doctor import Case, Given
from qviz.doctor.stepping import forced, most_times, times_of_own
from qviz.spec import QuantSpec

INT8 = QuantSpec(8, signed=True, symmetric=True)
X = np.array([[-1.0, 3.0], [0.5, 2.0], [0.25, -0.5]])


def given(scale, zero=0, **words):
    return Case.of(X, given=Given.of(scale, zero), **words)


def test_the_range_is_widened_to_hold_0_and_mirrored_where_codes_are():
    assert times_of_own(given(1.0)) == pytest.approx(255 / 4)  # [-1, 3]
    assert times_of_own(given(1.0, spec=INT8)) == pytest.approx(255 / 6)  # [-3, 3]
    assert times_of_own(Case.of(X + 100, given=Given.of(1.0))) == pytest.approx(255 / 103)
    assert times_of_own(Case.of(X)) == pytest.approx(1)


def test_of_several_groups_the_median_one_tells():
    case = given([1.0, 1.0, 1.0], [0, 0, 0], granularity="per_channel:0")
    assert times_of_own(case) == pytest.approx(255 / 2)  # 255 / 4, 255 / 2, 255 / 0.75


def test_nothing_but_0_asks_for_no_step():
    assert times_of_own(Case.of(np.zeros(9), given=Given.of(1.0))) == 0


def test_a_step_by_hand_may_be_less_wide():
    assert most_times(given(1.0)) == most_times(Case.of(X, observer="manual:lo=-9,hi=9")) == 4
    assert most_times(Case.of(X)) == 8


@pytest.mark.parametrize(
    ("ends", "made"),
    [
        ((-80, 80), True),  # the range of all
        ((-20, 20), True),  # over 6 times the others, whose range it is not
        ((-4, 4), False),  # that of the others
        ((-80, 0), False),  # half of the others is cut off
        ((-800, 800), False),  # far wider than the data
    ],
)
def test_which_step_a_loud_channel_made(ends, made):
    x = np.tile(np.linspace(-1, 1, 64), (16, 1))
    x[3] *= 80
    case = Case.of(x, role="weight", observer=f"manual:lo={ends[0]},hi={ends[1]}")
    assert case.channels.outliers.sum() == 1
    assert forced(case, case.channels, 6.0) == made
