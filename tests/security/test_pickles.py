"""L01, L02, L03: code in pickles, objects in NumPy files, NumPy arrays in checkpoints."""

import pickle

import numpy as np
import pytest
import torch

from qviz.sources.base import open_file
from tests.security.builders import Evil, checkpoint, quick, refused, repacked


@pytest.fixture
def flag(tmp_path):
    path = tmp_path / "executed"
    yield path
    assert not path.exists()


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
def test_l01_code_in_a_checkpoint_is_refused(tmp_path, flag, zipped):
    path = tmp_path / "model.pt"
    torch.save({"w": Evil(flag)}, path, _use_new_zipfile_serialization=zipped)
    refused(path, "L01", "getattr", "state_dict", "safetensors")


def test_l01_a_whole_module_is_refused_by_its_name(tmp_path):
    path = tmp_path / "model.pth"
    torch.save(torch.nn.Linear(2, 2), path)
    refused(path, "L01", "torch.nn.modules.linear.Linear", "state_dict")


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_l01_a_bare_pickle_is_refused(tmp_path, flag, protocol):
    path = tmp_path / "model.bin"
    path.write_bytes(pickle.dumps(Evil(flag), protocol))
    refused(path, "L01", "bare pickle")


def test_l01_a_bare_pickle_of_one_byte_is_refused(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(b"\x80")
    refused(path, "L01")


@pytest.mark.parametrize("name", [b"__builtin__", b"builtins"])
def test_l01_a_short_pickle_cannot_ask_for_memory(tmp_path, name):
    torch.save({"w": torch.ones(2)}, tmp_path / "good.pt")
    tebibyte = b"\x8a\x06" + (2**40).to_bytes(6, "little")
    bomb = b"\x80\x02}U\x01wc" + name + b"\nbytearray\n" + tebibyte + b"\x85Rs."
    refused(repacked(tmp_path / "good.pt", tmp_path / "bad.pt", data=bomb), "L01", "bytearray")


def test_l01_a_legacy_file_cannot_ask_for_memory(tmp_path):
    torch.save({"w": bytearray(8)}, tmp_path / "b.pt", _use_new_zipfile_serialization=False)
    refused(tmp_path / "b.pt", "L01", "bytearray")


def test_l01_lists_that_share_their_items_are_not_unrolled(tmp_path):
    shared = torch.ones(2)
    for _ in range(30):  # 2**30 names for one tensor
        shared = [shared, shared]
    path = checkpoint(tmp_path / "m.pt", shared)
    assert path.stat().st_size < 3000
    refused(path, "L01", "too many")


def test_l01_a_list_inside_itself_is_refused(tmp_path):
    torch.save({"w": torch.ones(2)}, tmp_path / "good.pt")
    bad = repacked(tmp_path / "good.pt", tmp_path / "bad.pt", data=b"\x80\x02]q\x00h\x00a.")
    refused(bad, "L01", "nest deeper than 32")


def test_l02_an_object_array_is_refused_and_not_loaded(tmp_path, flag):
    path = tmp_path / "objects.npy"
    np.save(path, np.array([Evil(flag)], dtype=object))
    refused(path, "L02", "Python objects", "code")


def test_l02_good_members_of_an_archive_open_beside_an_object_array(tmp_path, flag):
    path = tmp_path / "mixed.npz"
    np.savez(path, good=np.arange(3.0), bad=np.array([Evil(flag)], dtype=object))
    with quick():
        source = open_file(path)
    assert source.names == ("good",)
    assert source["good"].tolist() == [0, 1, 2]
    assert list(source.skipped) == ["bad"]
    assert "(L02)" in source.skipped["bad"]


def test_l02_a_pickle_renamed_npy_is_refused(tmp_path, flag):
    path = tmp_path / "weights.npy"
    path.write_bytes(pickle.dumps(Evil(flag)))
    refused(path, "L02", "bare pickle")


@pytest.mark.parametrize("content", [np.ones(3), np.float64(3)], ids=["array", "number"])
@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
def test_l03_a_numpy_value_in_a_checkpoint_has_a_message_of_its_own(tmp_path, content, zipped):
    path = checkpoint(tmp_path / "m.pt", {"x": content}, _use_new_zipfile_serialization=zipped)
    refused(path, "L03", "NumPy array", "numpy.savez", "tensor")


def test_attributes_set_by_a_pickle_do_not_reach_our_code(tmp_path):
    weight = torch.arange(3.0)
    weight.numel = weight.detach = weight.resolve_conj = "not callable"
    source = open_file(checkpoint(tmp_path / "m.pt", {"w": weight}))
    assert source["w"].tolist() == [0, 1, 2]
