import warnings

import numpy as np
import pytest
import torch

from qviz.sources.base import open_file

NUMPY = "float64 float32 float16 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
TORCH = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]


def saved(path, make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch means to retire its quantized types
        torch.save({"w": make()}, path / "a.pt")
    return open_file(path / "a.pt")


@pytest.mark.parametrize("name", NUMPY)
def test_every_numpy_type_is_viewed(tmp_path, name):
    source = saved(tmp_path, lambda: torch.tensor([0, 1, 1, 7]).to(getattr(torch, name)))
    assert source["w"].dtype.name == source.info("w").dtype == name
    assert source["w"].tolist() == [0, 1, 1, 1 if name == "bool" else 7]


@pytest.mark.parametrize("name", TORCH)
def test_types_that_numpy_lacks_stay_tensors(tmp_path, name):
    source = saved(tmp_path, lambda: torch.tensor([0.5, -2]).to(getattr(torch, name)))
    assert source["w"].dtype == getattr(torch, name)
    assert source["w"].float().tolist() == [0.5, -2]
    assert source.info("w").dtype == name


@pytest.mark.parametrize("name", ["float8_e8m0fnu", "float4_e2m1fn_x2"])
def test_other_types_are_skipped_by_name(tmp_path, name):
    dtype = getattr(torch, name)
    content = {"odd": torch.zeros(2, dtype=torch.uint8).view(dtype), "w": torch.ones(1)}
    torch.save(content, tmp_path / "a.pt")
    source = open_file(tmp_path / "a.pt")
    assert source.names == ("w",)
    assert source.skipped == {"odd": f"Type {name} cannot be read. (L12)"}


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.complex32])
def test_complex_tensors_become_three(tmp_path, dtype):
    source = saved(tmp_path, lambda: torch.tensor([3 + 4j, -2j]).to(dtype))
    assert {name: source[name].tolist() for name in source} == {
        "w.real": [3, 0],
        "w.imag": [4, -2],
        "w.abs": [5, 2],
    }
    want = "float64" if dtype == torch.complex128 else "float32"
    assert {source[name].dtype.name for name in source} == {want}


def test_a_pending_conjugate_is_carried_out(tmp_path):
    source = saved(tmp_path, lambda: torch.tensor([3 + 4j]).conj())
    assert source["w.imag"].tolist() == [-4]
    negated = saved(tmp_path, lambda: torch.tensor([3 + 4j]).conj().imag)
    assert negated["w"].tolist() == [-4]


def test_a_quantized_tensor_gives_values_and_codes(tmp_path):
    source = saved(
        tmp_path,
        lambda: torch.quantize_per_tensor(torch.tensor([-1.0, 0, 0.5]), 0.25, 3, torch.qint8),
    )
    assert source.names == ("w", "w (dequantized)")
    assert source["w"].tolist() == [-1, 3, 5]
    assert source["w (dequantized)"].tolist() == [-1, 0, 0.5]
    assert source["w"].dtype == np.int8
    assert source["w (dequantized)"].dtype == np.float32
    assert "scale 0.25, zero point 3" in source.info("w (dequantized)").about
    q = source.info("w").qparams
    assert (q.scale.item(), q.zero_point.item(), q.axis, q.ends) == (0.25, 3, None, (-128, 127))


def test_a_tensor_quantized_per_channel_gives_values_and_codes(tmp_path):
    scales, zeros = torch.tensor([0.5, 2.0]), torch.tensor([128, 130])
    values = torch.tensor([[1.0, -1.0], [4.0, 6.0]])
    source = saved(
        tmp_path, lambda: torch.quantize_per_channel(values, scales, zeros, 0, torch.quint8)
    )
    assert source["w"].tolist() == [[130, 126], [132, 133]]
    assert source["w (dequantized)"].tolist() == values.tolist()
    q = source.info("w").qparams
    assert (q.scale.tolist(), q.zero_point.tolist(), q.axis) == ([0.5, 2], [128, 130], 0)


def test_dequantized_values_are_those_of_torch_bit_for_bit(tmp_path):
    values, scales = torch.randn(5, 64, generator=torch.manual_seed(0)), torch.rand(5) + 0.01

    def quantized():
        zeros = torch.tensor([0, 3, -7, 100, -128])
        return torch.quantize_per_channel(values, scales.double(), zeros, 0, torch.qint8)

    source = saved(tmp_path, quantized)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = quantized().dequantize()
    assert np.array_equal(source["w (dequantized)"], want.numpy())


def test_a_quantized_tensor_with_an_impossible_scale_gives_codes_only(tmp_path):
    source = saved(
        tmp_path, lambda: torch._make_per_tensor_quantized_tensor(torch.ones(2).char(), 0.0, 0)
    )
    assert source.names == ("w",)
    assert source["w"].tolist() == [1, 1]
    assert "A scale is not a positive number" in source.skipped["w (dequantized)"]


def test_a_broadcast_axis_is_cut_to_one(tmp_path):
    column = torch.tensor([[1.0], [2.0]])
    source = saved(tmp_path, lambda: column.expand(2, 1000))
    assert source["w"].tolist() == [[1], [2]]
    assert source.info("w").about == "broadcast view: shape (2, 1000) repeats what is shown here"
