import numpy as np
import pytest
import torch

from qviz.sources.base import open_file
from qviz.stats.stream import Stream

A, B, C = (np.full((2, 3), value, np.float32) for value in (1, 2, 3))


def test_numbered_arrays_of_equal_length_are_stacked(tmp_path):
    np.savez(tmp_path / "a.npz", batch_0=A, batch_10=C, batch_2=B)
    source = open_file(tmp_path / "a.npz")
    assert source.names == ("batch_0", "batch_10", "batch_2", "batch_*")
    info = source.info("batch_*")
    assert (info.shape, info.batch_axis, info.role) == ((3, 2, 3), 0, "activation")
    assert source["batch_*"][:, 0, 0].tolist() == [1, 2, 3]  # by number, not by place
    assert info.batched(source["batch_*"]) is source["batch_*"]


def test_numbered_arrays_of_other_length_are_joined_and_split(tmp_path):
    np.savez(tmp_path / "a.npz", A, B[:1], C)
    source = open_file(tmp_path / "a.npz")
    info = source.info("arr_*")
    assert (info.shape, info.batch_axis, info.splits) == ((5, 3), None, (2, 1, 2))
    batches = info.batched(source["arr_*"])
    assert [batch.tolist() for batch in batches] == [A.tolist(), B[:1].tolist(), C.tolist()]
    assert len(Stream.of(batches).batches) == 3


@pytest.mark.parametrize(
    "arrays",
    [
        {"batch_0": A},
        {"batch_0": A, "batch_1": B.astype(np.float64)},
        {"batch_0": A, "batch_1": B[:, :2]},
        {"batch_0": A, "batch_1": B[0]},
        {"batch_0": A[0, 0], "batch_1": B[0, 0]},
        {"conv1": A, "conv2": B},
        {"0": A, "1": B, "other": C},
    ],
)
def test_arrays_that_are_no_batches_stay_alone(tmp_path, arrays):
    np.savez(tmp_path / "a.npz", **arrays)
    assert open_file(tmp_path / "a.npz").names == tuple(arrays)


def test_a_list_of_tensors_in_a_checkpoint_is_batches(tmp_path):
    tensors = [torch.full((2, 3), value, dtype=torch.bfloat16) for value in (1, 2)]
    torch.save(tensors, tmp_path / "a.pt")
    source = open_file(tmp_path / "a.pt")
    assert source.names == ("0", "1", "batches")
    assert source["batches"].dtype == torch.bfloat16
    assert source["batches"].tolist() == [tensors[0].tolist(), tensors[1].tolist()]
    torch.save([torch.ones(2), torch.ones(3)], tmp_path / "b.pt")
    assert open_file(tmp_path / "b.pt").info("batches").splits == (2, 3)
