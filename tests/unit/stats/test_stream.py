"""Streams, tiles and chunks."""

import numpy as np
import pytest
import torch

from qviz.errors import QvizError
from qviz.spec import Granularity
from qviz.stats.base import Batch
from qviz.stats.stream import CHUNK, Stream, chunks

BY_CHANNEL, BY_TOKEN = Granularity("per_channel", 0), Granularity("per_token")


def shapes(pieces):
    return [tuple(piece.shape) for piece in pieces]


def test_an_array_is_one_batch():
    stream = Stream.of(np.zeros((3, 4)))
    assert shapes(stream.batches) == [(3, 4)]
    assert stream.size == 12


@pytest.mark.parametrize("x", [[1, 2.5], (True, 3), [[1, 2.5]], 7])
def test_numbers_are_one_batch(x):
    stream = Stream.of(x)
    assert len(stream.batches) == 1
    assert stream.size == np.size(x)


def test_a_list_of_arrays_is_batches():
    stream = Stream.of([np.zeros(3), [1.0, 2.0], torch.zeros(2, 2, dtype=torch.float64)])
    assert shapes(stream.batches) == [(3,), (2,), (2, 2)]
    assert all(isinstance(batch, np.ndarray) for batch in stream.batches)
    assert stream.size == 9


def test_slices_along_an_axis_are_batches():
    x = np.arange(24.0).reshape(2, 3, 4)
    stream = Stream.of(x, batch_axis=1)
    assert shapes(stream.batches) == [(2, 4)] * 3
    assert stream.batches[2].tolist() == x[:, 2].tolist()
    assert shapes(Stream.of(torch.zeros(2, 3), batch_axis=-1).batches) == [(2,)] * 3
    assert shapes(Stream.of([[1, 2], [3, 4], [5, 6]], batch_axis=0).batches) == [(2,)] * 3


@pytest.mark.parametrize(
    ("x", "options", "sentence"),
    [
        ([], {}, "There is no batch. At least one array is needed. Add one."),
        (np.zeros((0, 3)), {"batch_axis": 0}, "There is no batch."),
        (np.zeros((2, 3)), {"batch_axis": 2}, "Batch axis 2 does not exist in a tensor of shape"),
        (5.0, {"batch_axis": 0}, "Batch axis 0 does not exist in a tensor of shape ()."),
        ([[[1, 2], [3]]], {}, "This is no array. Its parts differ in length"),
        ([np.zeros(2), ["a"]], {}, "Elements of type <U1 cannot be quantized."),
        (
            [np.zeros((2, 3)), np.zeros((4, 3))],
            {"granularity": BY_CHANNEL},
            "Batches have 2, 4 channels. A channel lives on from batch to batch",
        ),
        (
            [np.zeros(2, np.float16), np.zeros(2, np.float32)],
            {},
            "Batches are counted as float16 and float32. Counts of two float types do not add up.",
        ),
        (
            [np.zeros((2, 3)), np.zeros(3)],
            {"granularity": Granularity("per_channel", 1)},
            "Axis 1 does not exist in a tensor of shape (3,).",
        ),
    ],
)
def test_what_is_no_stream(x, options, sentence):
    with pytest.raises(QvizError) as error:
        Stream.of(x, **options)
    assert str(error.value).startswith(sentence)


def test_types_that_are_counted_alike_may_be_mixed():
    batches = [np.zeros(2, np.int8), np.zeros(2, ">f4"), torch.zeros(2, dtype=torch.bfloat16)]
    assert len(Stream.of(batches).batches) == 3


def test_a_tile_is_whole_groups_through_all_batches():
    x = np.zeros((10, CHUNK // 4), np.float32)
    stream = Stream.of([x, x[:, ::2]], BY_CHANNEL)
    tiles = stream.tiles
    assert [tile.groups for tile in tiles] == [2] * 5
    assert [len(tile.batches) for tile in tiles] == [2] * 5
    assert sum(tile.size for tile in tiles) == stream.size
    assert shapes(batch.rows for batch in tiles[4].batches) == [(2, CHUNK // 4), (2, CHUNK // 8)]


def test_groups_inside_a_batch_make_tiles_of_each_batch():
    stream = Stream.of([np.zeros((5, 3)), np.zeros((2, 3))], BY_TOKEN)
    assert [(tile.groups, tile.size) for tile in stream.tiles] == [(5, 15), (2, 6)]


def test_a_tensor_is_one_tile_whatever_its_size():
    stream = Stream.of([np.zeros(CHUNK + 1, np.int8), np.zeros(3, np.int8)])
    assert [(tile.groups, tile.size) for tile in stream.tiles] == [(1, CHUNK + 4)]


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0)])
@pytest.mark.parametrize("granularity", [Granularity(), BY_CHANNEL, BY_TOKEN])
def test_no_elements_are_one_tile(shape, granularity):
    (tile,) = Stream.of(np.zeros(shape), granularity).tiles
    assert tile.size == 0
    assert sum(rows.size for rows in tile.chunks()) == 0
    assert len(list(tile.chunks())) == 1


def test_chunks_are_2_to_the_20_elements_in_order():
    x = np.arange(2 * CHUNK + 5, dtype=np.int32)
    pieces = list(chunks(Batch(x)))
    assert shapes(pieces) == [(1, CHUNK), (1, CHUNK), (1, 5)]
    assert {piece.dtype for piece in pieces} == {np.dtype(np.float64)}
    assert (np.concatenate(pieces, axis=1)[0] == x).all()


def test_a_copy_that_the_layout_forces_goes_with_its_batch():
    x = np.zeros((4, 3, 2))[:, :, ::2].transpose(1, 0, 2)
    (tile,) = Stream.of(x).tiles
    assert [rows.shape for rows in tile.chunks()] == [(1, 12)]
    assert "rows" not in vars(tile.batches[0])
