import numpy as np
import pytest

from qviz.metrics.base import Totals, added, decibels, joined, overall, ratio, worse
from qviz.metrics.producers import Frame, of_rows
from qviz.quantizers.affine import typed


def totals(rows, scale=1.0):
    rows = np.atleast_2d(np.array(rows, np.float64))
    return of_rows(rows, typed(scale, 0, -2, 2), Frame(rows.min(1), rows.max(1)))


def test_chunks_add_up():
    whole = totals([0.25, 1.5]) + totals([-0.5, 3.0])
    assert (whole.n[0], whole.x[0], whole.ax[0], whole.xx[0]) == (4, 4.25, 5.25, 11.5625)
    assert (whole.e[0], whole.ee[0]) == (-0.25, 0.0625 + 0.25 + 0.25 + 1.0)
    assert (whole.clipped_high[0], whole.ee_high[0], whole.ee_inside[0]) == (1, 1.0, 0.5625)
    assert (whole.x_min[0], whole.x_max[0], whole.max_e[0]) == (-0.5, 3.0, 1.0)
    assert whole.codes.tolist() == [[0, 0, 2, 0, 2]]


def test_deviations_add_up_around_the_common_mean():
    whole = totals([1.0, 3.0]) + totals([10.0, 14.0])
    assert whole.m2[0] == (-6) ** 2 + (-4) ** 2 + 3**2 + 7**2


def test_deviations_keep_their_digits_far_from_zero():
    far = 2.0**40
    whole = totals([far, far + 1]) + totals([far + 2, far + 3])
    assert whole.m2[0] == 5.0
    assert overall(totals([[far, far + 1], [far + 2, far + 3]])).m2[0] == 5.0


def test_adding_one_is_that_one():
    one = totals([1.0])
    assert added([one]) is one and joined([one]) is one and overall(one) is one


def test_tiles_join_along_groups():
    both = joined([totals([1.0, 2.0]), totals([[0.5, 0.5], [3.0, -3.0]])])
    assert both.groups == 3
    assert both.x.tolist() == [3.0, 1.0, 0.0]
    assert both.codes.shape == (3, 5)
    assert both.made == "exact"


def test_groups_become_one():
    one = overall(totals([[1.0, 2.0], [0.5, -3.0]], scale=[1.0, 0.5]))
    assert (one.groups, one.n[0], one.x[0]) == (1, 4, 0.5)
    assert (one.x_min[0], one.x_max[0], one.max_e[0]) == (-3.0, 2.0, 2.0)
    assert one.e_steps[0] == 4.0  # -3 comes back as -1: two units, four steps of one half
    assert one.codes.tolist() == [[1, 0, 0, 2, 1]]
    assert one.x_bins is None and one.y_bins is None


def test_the_worse_origin_wins():
    assert worse("exact", "exact") == "exact"
    assert worse("exact", "sketch") == "sketch"


def test_tables_are_dropped_where_one_part_has_none():
    part = totals([1.0])
    bare = Totals(**{**vars(part), "codes": None})
    assert (part + bare).codes is None
    assert joined([bare, part]).codes is None


def test_ratio():
    a, b = np.array([3.0, 1.0, np.inf, 2.0, np.nan]), np.array([2.0, 0.0, 1.0, np.inf, 1.0])
    assert ratio(a, b)[0] == 1.5
    assert np.isnan(ratio(a, b)[1:]).all()


def test_decibels():
    out = decibels(np.array([100.0, 1.0, 0.0, np.inf]), np.array([1.0, 0.0, 1.0, 1.0]))
    assert out[:2].tolist() == [20.0, np.inf]
    assert np.isnan(out[2:]).all()


def test_overflow_is_known():
    part = totals([1.0])
    assert part.overflowed.tolist() == [False]
    assert Totals(**{**vars(part), "xx": np.array([np.inf])}).overflowed.tolist() == [True]
    assert totals([1e200]).overflowed.tolist() == [True]


@pytest.mark.parametrize("name", ["codes", "x_bins", "y_bins"])
def test_counts_are_not_kept_for_very_many_groups(name):
    part = totals(np.ones((16_385, 1)))
    many = joined([part] * 52)
    assert getattr(many, name) is None
    assert many.groups == 52 * 16_385
