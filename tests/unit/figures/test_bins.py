import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.figures.bins import body, full, linear_bins, one_group
from qviz.stats.base import NOTHING
from qviz.stats.cells import Cells
from qviz.stats.sketch import Sketch


def cells(lo, hi, count):
    lo, hi, count = (np.atleast_2d(np.asarray(v)) for v in (lo, hi, count))
    return Cells(lo.astype(float), hi.astype(float), count, bool((lo == hi).all()))


def test_points_fall_into_one_bin_and_the_last_bin_holds_both_edges():
    made = linear_bins(cells([0, 1, 2, 4], [0, 1, 2, 4], [3, 1, 2, 5]), 0, 4, 4)
    assert made.edges.tolist() == [0, 1, 2, 3, 4]
    assert made.counts.tolist() == [3, 1, 2, 5]
    assert made.counts.dtype == np.float64


def test_a_wide_cell_is_spread_in_whole_elements():
    # elements at 0.5, 1.5, ... 7.5 of [0, 8]
    made = linear_bins(cells([0], [8], [8]), 0, 8, 2)
    assert made.counts.tolist() == [4, 4]
    # elements at 1, 3, 5 of [0, 6], in bins of 2
    assert linear_bins(cells([0], [6], [3]), 0, 6, 3).counts.tolist() == [1, 1, 1]
    # one element at 5 of [0, 10]
    assert linear_bins(cells([0], [10], [1]), 0, 10, 5).counts.tolist() == [0, 0, 1, 0, 0]


def test_what_lies_outside_is_not_counted():
    made = linear_bins(cells([-5, 0, 1], [-5, 0, 9], [7, 2, 8]), 0, 5, 5)
    # the last cell has elements at 1.5, 2.5 ... 8.5
    assert made.counts.tolist() == [2, 1, 1, 1, 1]
    assert made.view == (0, 5)


def test_counts_of_a_sketch_add_up_and_follow_the_values():
    x = np.random.default_rng(1).standard_t(4, 100_000).astype(np.float32)
    seen = Sketch(16).of(x[None], NOTHING).cells
    made = linear_bins(seen, *full(seen), 512)
    true, _ = np.histogram(x, made.edges)
    assert made.counts.sum() == 100_000
    assert np.abs(np.cumsum(made.counts) - np.cumsum(true)).max() < 600  # half a cell's width


def test_groups_are_added_up_or_taken_alone():
    both = cells([[0, 1], [0, 1]], [[0, 1], [0, 1]], [[1, 2], [10, 20]])
    assert linear_bins(both, 0, 1, 2).counts.tolist() == [11, 22]
    assert linear_bins(both, 0, 1, 2, group=1).counts.tolist() == [10, 20]
    apart = cells([[0, 3], [1, 2]], [[0, 3], [1, 2]], [[1, 2], [10, 20]])
    assert one_group(apart).lo.tolist() == [[0, 1, 2, 3]]
    assert linear_bins(apart, 0, 4, 4).counts.tolist() == [1, 10, 20, 2]


def test_full_view_has_two_percent_of_air():
    assert full(cells([0, 100], [0, 100], [1, 1])) == (-2, 102)
    padded = cells([0, 100, 500], [0, 100, 500], [1, 1, 0])
    assert full(padded) == (-2, 102)


@pytest.mark.parametrize(("value", "view"), [(2, (1, 3)), (-4, (-6, -2)), (0, (-1, 1))])
def test_a_constant_stands_in_the_middle(value, view):
    one = cells([value], [value], [9])
    assert full(one) == body(one) == view
    assert linear_bins(one, *view, 512).counts.sum() == 9


def test_nothing_has_a_view_all_the_same():
    none = cells([0], [0], [0])
    assert full(none) == body(none) == (-1, 1)
    empty = Cells(*(np.zeros((1, 0)) for _ in range(3)), exact=True)
    assert linear_bins(empty, -1, 1, 4).counts.tolist() == [0, 0, 0, 0]


def test_body_is_the_middle_and_never_wider_than_full():
    values = np.concatenate([np.linspace(0, 1, 10_001), [1000.0]])
    lo, hi = body(cells(values, values, np.ones(10_002, int)))
    assert -0.11 < lo < -0.09
    assert 1.09 < hi < 1.11
    even = cells(np.arange(5), np.arange(5), [1] * 5)
    assert full(even)[0] <= body(even)[0] < body(even)[1] <= full(even)[1]


def test_ends_near_the_largest_float_stay_finite():
    huge = np.finfo(np.float64).max
    view = full(cells([-huge, huge], [-huge, huge], [1, 1]))
    assert np.isfinite(linear_bins(cells([0], [0], [1]), *view).edges).all()


@pytest.mark.parametrize("view", [(1.0, 1.0), (2.0, 1.0), (0.0, np.inf), (np.nan, 1.0)])
def test_a_view_without_width_is_refused(view):
    with pytest.raises(QvizError, match="cannot be drawn"):
        linear_bins(cells([0], [0], [1]), *view)


def test_more_bins_than_a_picture_shows_are_refused():
    with pytest.raises(QvizError, match="513 bins"):
        linear_bins(cells([0], [0], [1]), 0, 1, 513)
