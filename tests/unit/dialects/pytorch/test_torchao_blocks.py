"""torchao's granularities: which elements share a scale."""

import numpy as np
import pytest

from qviz.dialects.pytorch import PerAxis, PerBlock, PerGroup, PerRow, PerTensor, PerToken
from qviz.dialects.pytorch.torchao_blocks import Blocks, get_block_size

X = np.arange(32.0).reshape(4, 8)
SIZES = {
    "tensor": (PerTensor(), (4, 8), ()),
    "axis 0": (PerAxis(0), (1, 8), (4,)),
    "axis -1": (PerAxis(-1), (4, 1), (8,)),
    "group": (PerGroup(4), (1, 4), (4, 2)),
    "row": (PerRow(), (1, 8), (4,)),
    "column": (PerRow(0), (4, 1), (8,)),
    "token": (PerToken(), (1, 8), (4,)),
    "block": (PerBlock((2, 4)), (2, 4), (2, 2)),
}


@pytest.mark.parametrize("name", SIZES)
def test_blocks_and_the_shape_of_their_ranges(name):
    granularity, size, shape = SIZES[name]
    assert get_block_size(X.shape, granularity) == size
    blocks = Blocks.of(X.shape, size)
    assert blocks.shape == shape
    rows = blocks.rows(X)
    assert rows.shape == (np.prod(shape, dtype=int), np.prod(size))
    assert np.array_equal(blocks.restore(rows, X), X)


def test_rows_hold_the_elements_of_one_block():
    rows = Blocks.of((4, 8), (2, 4)).rows(X)
    assert rows[1].tolist() == [4, 5, 6, 7, 12, 13, 14, 15]


def test_an_axis_of_length_1_stays():
    assert Blocks.of((1, 8), (1, 8)).shape == (1,)
    nothing = Blocks.of((1, 8), (1, 1))  # no axis to reduce: all is reduced
    assert nothing.shape == () and nothing.rows(X[:1]).shape == (1, 8)
    with pytest.raises(RuntimeError, match="1 scales do not fit 8 blocks"):
        nothing.column(np.ones(1))


def test_another_librarys_granularity_is_read_by_name():
    theirs = type("PerGroup", (), {"group_size": 2})()
    assert get_block_size((4, 8), theirs) == (1, 2)


@pytest.mark.parametrize(
    ("granularity", "error"),
    [(PerGroup(3), AssertionError), (PerAxis(2), IndexError), (object(), ValueError)],
)
def test_refusals(granularity, error):
    with pytest.raises(error):
        get_block_size((4, 8), granularity)
    with pytest.raises(AssertionError, match="do not fit"):
        Blocks.of((4, 8), (1,))
