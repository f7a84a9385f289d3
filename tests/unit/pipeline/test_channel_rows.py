import numpy as np
import pytest

from qviz.pipeline.channel_map import channel_map
from qviz.pipeline.channel_rows import in_rows, ranked
from qviz.stats.stream import Stream
from tests.unit.pipeline.loud import ABSMAX, NARROW, tensor


@pytest.fixture(scope="module")
def found():
    x = tensor()
    x[:, 20] = 0
    return channel_map(Stream.of(x), 1, ABSMAX, NARROW)


def test_orders(found):
    by_error = ranked(found)
    assert by_error[0] == 7 and by_error[-1] == 20  # loudest first, dead last
    values = found.shared.sqnr[by_error[:-1]]
    assert (np.diff(values) <= 0).all()
    by_range = ranked(found, "range")
    assert (np.diff(found.amax[by_range]) <= 0).all()
    assert ranked(found, "index").tolist() == list(range(64))


def test_rows_hold_neighbours_of_rank_and_show_their_worst():
    rows = in_rows(np.array([4, 2, 0, 1, 3]), 2)
    assert (rows.count, rows.most, rows.row_of.tolist()) == (2, 3, [0, 0, 1, 1, 1])
    values = np.array([5.0, np.nan, 9.0, 7.0, 8.0])
    assert rows.worst(values).tolist() == [4, 0]
    assert rows.least(np.nan_to_num(values)).tolist() == [8, 0]
    assert rows.greatest(np.nan_to_num(values)).tolist() == [9, 7]


def test_few_channels_have_a_row_each():
    assert in_rows(np.arange(5)).starts.tolist() == [0, 1, 2, 3, 4, 5]
    assert in_rows(np.arange(30_000)).count == 128
