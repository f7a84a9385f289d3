import collections
import warnings

import numpy as np
import pytest
import torch

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from tests.unit.sources.memory import cost_of_reading

FORMS = pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])


def saved(path, content, zipped=True):
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    return open_file(path)


@FORMS
def test_a_state_dict_comes_back(tmp_path, zipped):
    state = {
        "conv.weight": torch.arange(6.0).reshape(2, 3),
        "conv.bias": torch.nn.Parameter(torch.tensor([1.5, -2])),
        "count": torch.tensor(7),
        "none": torch.empty(3, 0),
    }
    source = saved(tmp_path / "a.pt", state, zipped)
    assert source.names == tuple(state)
    for name, tensor in state.items():
        assert isinstance(source[name], np.ndarray)
        assert source[name].tolist() == tensor.tolist()
        assert source[name].shape == source.info(name).shape == tuple(tensor.shape)
        assert not source[name].flags.writeable
    assert [info.role for info in source.infos.values()] == ["weight", "bias", "unknown", "unknown"]


@FORMS
def test_nested_dicts_and_lists_are_joined_with_dots(tmp_path, zipped):
    one, two, three = (torch.tensor([float(n)]) for n in range(1, 4))
    content = {
        "state_dict": collections.OrderedDict(weight=one),
        "optimizer": {"state": {0: {"exp_avg": two}}, "lr": 0.1, "steps": [1, 2]},
        "list": [three, (one, "text", None)],
        "epoch": 3,
    }
    source = saved(tmp_path / "a.pt", content, zipped)
    assert {name: source[name].tolist() for name in source} == {
        "state_dict.weight": [1],
        "optimizer.state.0.exp_avg": [2],
        "list.0": [3],
        "list.1.0": [1],
    }
    assert source.skipped == {}


def test_names_that_come_out_equal_are_numbered(tmp_path):
    content = {"a.b": torch.tensor([1]), "a": {"b": torch.tensor([2])}}
    source = saved(tmp_path / "a.pt", content)
    assert {name: source[name].tolist() for name in source} == {"a.b": [1], "a.b#2": [2]}


def test_keys_that_are_no_words_are_counted(tmp_path):
    content = {(1, 2): torch.tensor([1]), 2.5: torch.tensor([2]), None: torch.tensor([3])}
    assert saved(tmp_path / "a.pt", content).names == ("0", "2.5", "2")


def test_tied_tensors_keep_both_names(tmp_path):
    shared = torch.arange(4.0)
    source = saved(tmp_path / "a.pt", {"embed.weight": shared, "head.weight": shared})
    embed, head = source["embed.weight"], source["head.weight"]
    assert embed.tolist() == head.tolist() == [0, 1, 2, 3]
    assert np.shares_memory(embed, head)


def test_views_of_one_storage_come_back(tmp_path):
    base = torch.arange(12.0).reshape(3, 4)
    source = saved(tmp_path / "a.pt", {"column": base[:, 1], "turned": base.T})
    assert source["column"].tolist() == [1, 5, 9]
    assert source["turned"].tolist() == base.T.tolist()


@pytest.mark.parametrize("content", [torch.ones(2), [torch.ones(2)]], ids=["tensor", "list"])
def test_a_tensor_without_a_name_is_called_tensor_or_by_its_place(tmp_path, content):
    (name,) = saved(tmp_path / "a.pt", content)
    assert name == ("tensor" if isinstance(content, torch.Tensor) else "0")


@FORMS
@pytest.mark.parametrize("content", [{"epoch": 3}, {}, [1, "a"]], ids=str)
def test_a_file_without_tensors_is_refused(tmp_path, zipped, content):
    with pytest.raises(RefusedFile, match="holds no tensor"):
        saved(tmp_path / "a.pt", content, zipped)


def test_the_extension_does_not_matter(tmp_path):
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pt")
    for name in ("a.safetensors", "upload", "a.npz"):
        path = tmp_path / name
        path.write_bytes((tmp_path / "a.pt").read_bytes())
        assert open_file(path)["w"].tolist() == [1, 1]


def test_opening_leaves_the_warning_filters_alone(tmp_path):
    before = list(warnings.filters)
    saved(tmp_path / "a.pt", {"w": torch.ones(2)})
    assert warnings.filters == before


def test_writing_into_a_tensor_leaves_the_file_alone(tmp_path):
    path = tmp_path / "a.pt"
    source = saved(path, {"w": torch.ones(4, dtype=torch.bfloat16)})
    before = path.read_bytes()
    source["w"].fill_(3)
    assert path.read_bytes() == before


def test_a_checkpoint_is_mapped(tmp_path):
    x = torch.zeros(2**24)  # 64 MiB
    x[-1] = 2.5
    torch.save({"w": x}, tmp_path / "a.pt")
    kibibytes, total, torch_there = cost_of_reading(
        tmp_path / "a.pt", "w", imports="import torch; torch.set_num_threads(1)"
    )
    assert (total, torch_there) == (2.5, True)
    assert kibibytes < 16 * 1024
