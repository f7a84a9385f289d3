import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from qviz.sources.base import open_file

NAME = "model.safetensors.index.json"


@pytest.fixture
def folder(tmp_path):
    one = {"a.weight": torch.arange(6.0).reshape(2, 3), "a.bias": torch.ones(2)}
    two = {"b.weight": torch.tensor([0.5, -2], dtype=torch.bfloat16), "extra": torch.ones(1)}
    save_file(one, tmp_path / "model-1.safetensors")
    save_file(two, tmp_path / "model-2.safetensors")
    shards = {"b.weight": "model-2.safetensors"} | dict.fromkeys(one, "model-1.safetensors")
    said = {"metadata": {"total_size": 36}, "weight_map": shards}
    (tmp_path / NAME).write_text(json.dumps(said, indent=2))
    return tmp_path


def test_the_tensors_of_all_shards_are_listed_in_the_order_of_the_index(folder):
    source = open_file(folder / NAME)
    assert source.names == ("b.weight", "a.weight", "a.bias")
    assert source["a.weight"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert source["b.weight"].dtype == torch.bfloat16 and source["b.weight"].tolist() == [0.5, -2]
    assert source.info("b.weight").dtype == "bfloat16"
    assert [info.role for info in source.infos.values()] == ["weight", "weight", "bias"]
    assert isinstance(source["a.bias"].base, np.memmap)


def test_a_tensor_that_its_shard_lacks_is_skipped(folder):
    said = json.loads((folder / NAME).read_text())
    said["weight_map"]["gone"] = "model-1.safetensors"
    (folder / NAME).write_text(json.dumps(said))
    source = open_file(folder / NAME)
    assert source.skipped == {"gone": "model-1.safetensors does not hold it. (L11)"}


def test_a_changed_shard_has_another_fingerprint(folder):
    before = open_file(folder / NAME)
    marks = {name: info.fingerprint for name, info in before.infos.items()}
    changed = torch.tensor([1, 2], dtype=torch.bfloat16)
    save_file({"b.weight": changed, "more": torch.ones(9)}, folder / "model-2.safetensors")
    after = open_file(folder / NAME)
    same = {name for name in marks if after.info(name).fingerprint == marks[name]}
    assert same == {"a.weight", "a.bias"}
    assert after["b.weight"].tolist() == [1, 2]
