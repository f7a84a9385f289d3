"""What comes in by the door, is walked in blocks, and goes out in its own kind."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow import tensors
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.tensors import (
    admitted,
    along,
    beside,
    blocks,
    integer,
    kernel_axis,
    mapped,
    numbers,
)
from qviz.errors import QvizError


def test_inputs_keep_their_kind():
    x = np.arange(3.0)
    assert admitted(x) is x
    t = torch.arange(3.0, requires_grad=True)
    got = admitted(t)
    assert isinstance(got, torch.Tensor) and not got.requires_grad and got.tolist() == [0, 1, 2]
    assert admitted([1, 2]).dtype == np.float32 and admitted(0.5).shape == ()


@pytest.mark.parametrize("given", ["a", None, [1, "a"], np.array([1j])])
def test_no_numbers(given):
    for door in (admitted, numbers):
        with pytest.raises(QvizError):
            door(given)


def test_bounds_come_to_the_host_with_their_shape():
    assert numbers(1e300).tolist() == np.inf
    assert numbers(torch.tensor([[1, 2]])).tolist() == [[1, 2]]
    assert numbers(np.float64(0.1)).dtype == np.float32
    assert numbers(0.1, "float64") == 0.1


def test_results_lie_beside_the_input():
    assert isinstance(beside(1, torch.zeros(1)), torch.Tensor)
    got = beside(np.float64([1, 2]), np.zeros(1))
    assert got.dtype == np.float32 and got.tolist() == [1, 2]


def test_axes():
    assert [kernel_axis(a, 3) for a in (None, 0, 2, -1, -3, -4, 7)] == [-1, 0, 2, 2, 0, 2, 7]
    assert kernel_axis(None, 0) == -1
    with pytest.raises(InvalidArgument, match="single value"):
        kernel_axis(-1, 0)
    with pytest.raises(InvalidArgument, match=r"axis is 0\.5"):
        kernel_axis(0.5, 2)


def test_whole_numbers():
    assert integer(np.int32(4), "n") == 4
    with pytest.raises(InvalidArgument, match="n is '4'"):
        integer("4", "n")


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy])
@pytest.mark.parametrize("block", [1, 7, 10**6])
def test_blocks_cover_everything_once(monkeypatch, axis, kind, block):
    monkeypatch.setattr(tensors, "BLOCK", block)
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    got = mapped(lambda rows, more: rows * 2 + more, kind(x), axis, "int16", kind(x))
    assert type(got) is type(kind(x))
    assert str(got.dtype).endswith("int16")
    assert np.array_equal(np.asarray(got), x * 3)


def test_rows_are_slices_of_the_axis():
    seen = []
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    mapped(lambda rows: seen.append(rows.tolist()) or rows, x, 1, "float32")
    assert seen == [[[0, 3], [1, 4], [2, 5]]]


def test_layouts():
    x = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert np.array_equal(mapped(lambda rows: rows, x, -1, "float32"), x)
    assert np.array_equal(mapped(lambda rows: rows, x[:, ::-2], 1, "float32"), x[:, ::-2])


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0)])
def test_few_elements(shape):
    x = np.ones(shape, np.float32)
    assert mapped(lambda rows: rows + 1, x, -1, "uint8").shape == shape
    if shape:
        assert mapped(lambda rows: rows + 1, x, len(shape) - 1, "uint8").shape == shape


def test_a_block_with_few_groups_is_turned():
    rows = np.zeros((1000, 3), np.float32).T
    assert not rows.flags.c_contiguous and along(rows).flags.c_contiguous
    assert along(torch.zeros(1000, 3).T).is_contiguous()
    many = np.zeros((10, 1000), np.float32).T
    assert along(many) is many


def test_block_width():
    width = tensors.BLOCK // 4
    cuts = list(blocks(np.zeros((4, 2 * width + 1))))
    assert [cut.start for cut in cuts] == [0, width, 2 * width]
    assert list(blocks(np.zeros((tensors.BLOCK * 2, 2))))[1] == slice(1, 2)
