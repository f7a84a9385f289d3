import json
import struct

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from tests.unit.sources.memory import cost_of_reading, grown

NUMPY = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
TORCH = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]


def written(path, header, data):
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return open_file(path)


@pytest.mark.parametrize("kind", NUMPY)
def test_every_numpy_type_comes_back(tmp_path, kind):
    array = np.array([[0, 1, 1], [0, 100, 7]]).astype(kind)
    save_file({"w": array}, tmp_path / "a.safetensors")
    source = open_file(tmp_path / "a.safetensors")
    assert source["w"].tolist() == array.tolist()
    assert source["w"].dtype == array.dtype
    assert source.info("w").dtype == array.dtype.name
    assert isinstance(source["w"].base, np.memmap)
    assert not source["w"].flags.writeable


@pytest.mark.parametrize("name", TORCH)
@pytest.mark.parametrize("shape", [(2, 3), (6,), ()])
def test_types_that_numpy_lacks_come_back_as_tensors(tmp_path, name, shape):
    size = int(np.prod(shape))
    tensor = torch.tensor([0.5, 1.5, -2, 0, 3, 8][:size]).reshape(shape).to(getattr(torch, name))
    save_torch({"w": tensor}, tmp_path / "a.safetensors")
    source = open_file(tmp_path / "a.safetensors")
    assert source["w"].dtype == tensor.dtype
    assert source["w"].float().tolist() == tensor.float().tolist()
    assert source.info("w").dtype == name
    assert source.info("w").shape == shape


@pytest.mark.parametrize("dtype", ["F32", "BF16", "F8_E4M3"])
def test_empty_tensors_come_back(tmp_path, dtype):
    entry = {"dtype": dtype, "shape": [3, 0], "data_offsets": [0, 0]}
    source = written(tmp_path / "a.safetensors", {"w": entry}, b"")
    assert source.info("w").shape == tuple(source["w"].shape) == (3, 0)


def test_scalars_and_names_come_back_in_the_order_of_the_file(tmp_path):
    header = {
        "__metadata__": {"made": "by hand"},
        "b": {"dtype": "F32", "shape": [], "data_offsets": [4, 8]},
        "a.weight": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
    }
    source = written(tmp_path / "a.safetensors", header, struct.pack("<2f", 1.5, -2))
    assert source.names == ("b", "a.weight")
    assert source["b"].shape == () and source["b"] == -2
    assert source["a.weight"].tolist() == [1.5]
    assert source.info("a.weight").role == "weight"


def test_a_header_of_odd_length_does_no_harm(tmp_path):
    header = {
        "x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        "y": {"dtype": "BF16", "shape": [2], "data_offsets": [4, 8]},
    }
    text = json.dumps(header).encode()
    text += b" " * (len(text) % 2 == 0)  # now the data begins at an odd offset
    raw = struct.pack("<f", 1.5) + b"\xc0\x3f\x00\xc0"  # bfloat16 1.5 and -2
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + raw)
    source = open_file(tmp_path / "a.safetensors")
    assert source["x"].tolist() == [1.5]
    assert source["y"].tolist() == [1.5, -2]
    assert source["y"].data_ptr() % 2 == 0


def test_complex_tensors_become_three(tmp_path):
    entry = {"dtype": "C64", "shape": [1], "data_offsets": [0, 8]}
    source = written(tmp_path / "a.safetensors", {"z": entry}, struct.pack("<2f", 3, 4))
    assert {name: source[name].tolist() for name in source} == {
        "z.real": [3],
        "z.imag": [4],
        "z.abs": [5],
    }


def test_writing_into_a_tensor_leaves_the_file_alone(tmp_path):
    path = tmp_path / "a.safetensors"
    save_torch({"w": torch.ones(4, dtype=torch.bfloat16)}, path)
    before = path.read_bytes()
    open_file(path)["w"].fill_(3)
    assert path.read_bytes() == before
    assert open_file(path)["w"].tolist() == [1] * 4


def test_a_file_without_tensors_is_refused(tmp_path):
    with pytest.raises(RefusedFile, match="no tensor"):
        written(tmp_path / "a.safetensors", {}, b"")


@pytest.mark.parametrize(("dtype", "needs_torch"), [("F32", False), ("BF16", True)])
def test_a_hundred_million_elements_cost_no_memory(tmp_path, dtype, needs_torch):
    size = 10**8
    nbytes = size * (4 if dtype == "F32" else 2)
    text = json.dumps({"w": {"dtype": dtype, "shape": [size], "data_offsets": [0, nbytes]}})
    head = struct.pack("<Q", len(text)) + text.encode()
    path = grown(tmp_path / "a.safetensors", head, nbytes, struct.pack("<f", 1.5))
    kibibytes, total, torch_there = cost_of_reading(
        path, "w", imports="import torch; torch.set_num_threads(1)" if needs_torch else ""
    )
    assert total == 1.5  # also as bfloat16: 1.5 in float32 ends with the bytes of bfloat16 1.5
    assert kibibytes < 64 * 1024
    assert torch_there == needs_torch
