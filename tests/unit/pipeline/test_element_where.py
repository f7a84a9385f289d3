"""Indices, groups and places agree with what a reshape by hand gives."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.pipeline.element_where import Place, Whole, pieces
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.stream import CHUNK

X = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)  # each value is its own index
CASES = [
    (PER_TENSOR, None),
    (PER_TENSOR, 1),
    (Granularity("per_channel", 1), None),
    (Granularity("per_channel", -1), 0),
    (Granularity("per_token"), None),
    (Granularity("per_group", -1, 2), None),
    (Granularity("per_group", 0, 2), 2),
    (Granularity("per_token"), 0),
]


@pytest.mark.parametrize(("granularity", "axis"), CASES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_element_is_found_in_its_group(granularity, axis, order):
    whole = Whole(np.array(X, order=order), granularity, axis)
    rows = [np.concatenate(whole.group(g), axis=1)[0] for g in range(whole.groups)]
    assert sorted(np.concatenate(rows).tolist()) == list(range(X.size))
    for index in range(X.size):
        place = whole.place(index)
        assert rows[place.group][place.at] == index
        assert whole.index(place) == index
        assert whole.value(index).tolist() == [index]


def test_groups_by_hand():
    channels = Whole(X, Granularity("per_channel", 1))
    assert channels.groups == 3
    assert channels.group(1)[0].tolist() == [[4, 5, 6, 7, 16, 17, 18, 19]]
    assert channels.place(17) == Place(1, 5)
    tokens = Whole(X, Granularity("per_token"), 0)
    assert tokens.groups == 6 and tokens.group(4)[0].tolist() == [[16, 17, 18, 19]]


def test_a_single_value_and_no_value():
    assert Whole(np.array(3.0)).place(0) == Place(0, 0)
    assert Whole(np.array(3.0)).value(0).tolist() == [3.0]
    with pytest.raises(QvizError, match="empty"):
        Whole(np.zeros((0, 3), np.float32)).place(0)


@pytest.mark.parametrize("index", [-1, 24, 10**12])
def test_an_index_that_is_not_there(index):
    with pytest.raises(QvizError, match="Use 0 to 23"):
        Whole(X).place(index)


def test_pieces_start_and_stop_where_they_are_told():
    rows = [np.arange(5, dtype=np.float32)[None], np.arange(5, 8, dtype=np.float32)[None]]
    found = [(at, part.tolist()) for at, part in pieces(rows, 3, 4)]
    assert found == [(3, [3, 4]), (5, [5, 6])]
    assert [at for at, _ in pieces(rows)] == [0, 5]
    long = [np.zeros((1, CHUNK + 5), np.float32)]
    assert [(at, part.size) for at, part in pieces(long)] == [(0, CHUNK), (CHUNK, 5)]
