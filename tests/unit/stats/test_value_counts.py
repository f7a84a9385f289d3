import numpy as np
import pytest

from qviz.spec import Granularity
from qviz.stats.base import NOTHING, Seen
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream
from qviz.stats.value_counts import ValueCounts, code_of, magnitude_of

FEW = ValueCounts(digits=1, octaves=2)  # bins from 1, 1.5, 2, 3, 4, 6 ... up


def counted(rows, recipe=FEW):
    rows = np.asarray(rows, np.float32)
    given = Seen({MinMax(): MinMax().of(rows, NOTHING)})
    return recipe.of(rows, given)


def test_elements_fall_into_half_octaves_below_the_largest():
    found = counted([[6, 5, 4, 3.5, 2, 1.9, 0, -6.5, -4]])
    # four bins a side, from the most negative: [6, 8), [4, 6), [3, 4), [2, 3), the middle
    assert found.counts.tolist() == [[1, 1, 0, 0, 2, 1, 1, 2, 1]]
    assert (found.depth, found.digits) == (4, 1)


def test_each_group_is_resolved_below_its_own_largest_magnitude():
    found = counted([[1024, 600, 1], [1.0, 0.6, 0.001]])
    assert found.counts.tolist() == [[0, 0, 0, 0, 1, 0, 1, 0, 1]] * 2
    assert found.top[0] - found.top[1] == 20  # ten octaves of two bins


def test_codes_and_magnitudes_go_together():
    x = np.array([1.0, 1.03, 1.49, 3.0, 2.0**-127])
    codes = code_of(x, 1)
    assert magnitude_of(codes, 1).tolist() == [1.0, 1.0, 1.0, 3.0, 2.0**-127]
    assert (np.diff(magnitude_of(np.arange(300), 4)) > 0).all()


def test_what_is_not_finite_is_left_out_and_zeros_lie_in_the_middle():
    found = counted([[np.nan, np.inf, -np.inf, 0, -0.0, 2.0**-140, 1.0]])
    assert found.counts.sum() == 4
    assert found.counts[0, 4] == 3


def test_zeros_among_the_smallest_floats_stay_in_the_middle():
    found = counted([[2.0**-149, 0.0, 0.0]], ValueCounts(digits=4, octaves=16))
    assert found.counts[0, found.depth] == 2
    found = counted([[2.0**-128, 0.0, 0.0]], ValueCounts(digits=4, octaves=16))
    assert found.counts[0, found.depth] == 2


def test_float64_beyond_float32_lies_in_the_outermost_bin():
    x = np.array([[1e300, -1e300, 1e38]])
    given = Seen({MinMax(): MinMax().of(x, NOTHING)})
    counts = FEW.of(x, given).counts[0]
    assert counts[0] == 1 and counts[-1] >= 1 and counts.sum() == 3


def test_parts_add_up_to_the_whole():
    x = np.random.default_rng(0).standard_t(2, (3, 500)).astype(np.float32)
    given = Seen({MinMax(): MinMax().of(x, NOTHING)})
    whole = FEW.of(x, given)
    parts = FEW.merge(FEW.of(x[:, :123], given), FEW.of(x[:, 123:], given))
    assert (parts.counts == whole.counts).all() and (parts.top == whole.top).all()


def test_long_groups_are_counted_in_several_chunks():
    x = np.random.default_rng(1).standard_normal((1, 2**20 + 999)).astype(np.float32)
    tile = Stream.of(x, Granularity("per_channel", 0)).tiles[0]
    counts = gather(tile, (FEW,))[FEW].counts[0]
    largest = np.abs(x).max()
    edge = magnitude_of(code_of(np.array([largest]), 1), 1)[0]
    assert counts[-1] == (x >= edge).sum() and counts[0] == (x <= -edge).sum()
    assert counts.sum() == x.size


@pytest.mark.parametrize("groups", [1, 16_000, 30_000, 200_000])
def test_counts_stay_bounded_however_many_groups_there_are(groups):
    recipe = ValueCounts.fitting(groups)
    assert groups * (2 * recipe.depth + 1) <= max(2**23, groups * 97)
    assert recipe.octaves >= 12
