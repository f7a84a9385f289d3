import json
from functools import partial

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch

from qviz.sources import pairs
from qviz.sources.base import open_file
from qviz.sources.codes import VALUES
from tests.security.builders import checkpoint

W = np.array([[-128, 0, 127], [1, 2, 3]], np.int8)
HALF, ROWS = np.float32(0.5), np.array([0.5, 2], np.float32)
SAVERS = {
    "npz": lambda path, arrays: np.savez(path, **arrays),
    "deflated": lambda path, arrays: np.savez_compressed(path, **arrays),
    "safetensors": lambda path, arrays: save_file(
        {name: np.array(array) for name, array in arrays.items()}, path
    ),
    "torch": lambda path, arrays: torch.save(
        {name: torch.tensor(array) for name, array in arrays.items()}, path
    ),
}


def opened(tmp_path, arrays, save=SAVERS["npz"]):
    path = tmp_path / "a.npz"  # told by its content
    save(path, arrays)
    return open_file(path)


def alone(source, name, *words):
    """The codes are listed, their reals are not, and what they say of that has these words."""
    assert name in source.names and name + VALUES not in source.names
    assert source.info(name).qparams is None
    assert all(word in source.info(name).about for word in words)


@pytest.mark.parametrize("save", SAVERS.values(), ids=SAVERS)
def test_every_format_pairs(tmp_path, save):
    arrays = {"layer.weight": W, "layer.weight_scale": ROWS, "layer.weight_zero_point": [1, -1]}
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    source = opened(tmp_path, arrays, save)
    assert set(source.names) == {*arrays, "layer.weight" + VALUES}
    at = source.names.index("layer.weight")
    assert source.names[at + 1] == "layer.weight" + VALUES
    values = source["layer.weight" + VALUES]
    assert values.dtype == np.float32
    assert values.tolist() == [[-64.5, -0.5, 63], [4, 6, 8]]
    assert source["layer.weight"].tolist() == W.tolist()
    info = source.info("layer.weight" + VALUES)
    assert (info.role, info.shape, info.qparams.axis) == ("weight", (2, 3), 0)
    scale = source.info("layer.weight_scale")
    assert (scale.role, scale.about) == ("unknown", "The scale of layer.weight.")
    assert source.info("layer.weight_zero_point").about == "The zero point of layer.weight."


NAMES = [
    ("w", "w_scale", "w_zero_point"),
    ("w", "w.scale", "w.zero_point"),
    ("w", "w/scale", "w/zero_point"),
    ("w", "w-scale", "w-zp"),
    ("w", "w_scales", "w_zero_points"),
    ("w", "w.scales", "w_zp"),
    ("w", "w_Scale", "w_ZeroPoint"),
    ("w_q", "w_q_scale", "w_q_zps"),
    ("a.weight", "a.weight_scale", "a.weight_zero_point"),
    ("a.weight", "a.scale", "a.zero_point"),
    ("a.qweight", "a.scales", "a.qzeros"),
    ("a/codes", "a/scales", "a/zeros"),
    ("codes", "scale", "zero_point"),
    ("scale_net", "scale_net_scale", "scale_net_zp"),
]


@pytest.mark.parametrize(("name", "scale", "zero"), NAMES)
def test_every_form_of_a_name(tmp_path, name, scale, zero):
    source = opened(tmp_path, {scale: HALF, name: W, zero: np.int32(2), "other": np.ones(3)})
    assert source[name + VALUES].tolist() == [[-65, -1, 62.5], [-0.5, 0, 0.5]]
    assert source.info(name).qparams.words == "scale 0.5, zero point 2"
    without = opened(tmp_path, {name: W, scale: HALF})
    assert without[name + VALUES].tolist() == [[-64, 0, 63.5], [0.5, 1, 1.5]]


SHAPES = [
    ((), None),
    ((1,), None),
    ((1, 1), None),
    ((2,), 0),
    ((3,), 1),
    ((2, 1), 0),
    ((1, 3), 1),
]


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_the_axis_follows_from_the_shape(tmp_path, shape, axis):
    scale = 2.0 ** np.arange(np.prod(shape, dtype=int)).reshape(shape)
    source = opened(tmp_path, {"w": W, "w_scale": scale.astype(np.float32)})
    assert source.info("w").qparams.axis == axis
    spread = scale.reshape(-1, 1) if axis == 0 else scale
    assert source["w" + VALUES].tolist() == (W * spread).tolist()


def test_each_element_of_a_list_may_have_its_own(tmp_path):
    bias = np.array([3, -4], np.int32)
    source = opened(tmp_path, {"bias": bias, "bias_scale": ROWS})
    assert source["bias" + VALUES].tolist() == [1.5, -8]


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_reals_are_those_of_float32_to_the_bit(tmp_path, kind):
    rng = np.random.default_rng(5)
    codes = rng.integers(-128, 128, (40, 30)).astype(np.int8)
    scale = rng.uniform(1e-4, 1, 40).astype(kind)
    zero = rng.integers(-128, 128, 40).astype(np.int8)
    source = opened(tmp_path, {"w": codes, "w_scale": scale, "w_zero_point": zero})
    want = codes.astype(np.float32) - zero[:, None].astype(np.float32)
    want *= scale[:, None].astype(np.float32)
    assert source["w" + VALUES].tobytes() == want.tobytes()


def test_a_scale_in_bfloat16(tmp_path):
    scale = torch.tensor([[0.3], [2.0]], dtype=torch.bfloat16)
    save_torch({"w": torch.tensor(W), "w_scale": scale}, tmp_path / "a.safetensors")
    values = open_file(tmp_path / "a.safetensors")["w" + VALUES]
    assert values[0].tolist() == [-128 * 0.30078125, 0, 127 * 0.30078125]


DOUBTS = {
    "two axes": ({"w": W[:, :2], "w_scale": ROWS}, "several axes"),
    "too few": ({"w": W, "w_scale": np.ones(4, "f4")}, "no axis alone"),
    "one each": ({"w": W, "w_scale": np.ones((2, 3), "f4")}, "several axes"),
    "another rank": ({"w": W, "w_scale": np.ones((2, 1, 1), "f4")}, "no axis alone"),
    "another extent": ({"w": W, "w_scale": np.ones((3, 1), "f4")}, "no axis alone"),
    "none": ({"w": W, "w_scale": np.ones(0, "f4")}, "no axis alone"),
    "two names": ({"w": W, "w_scale": HALF, "w.scale": HALF}, "too"),
    "a block scale": ({"w": W, "w_scale": HALF, "w_scale_inv": ROWS}, "w_scale_inv"),
    "a second scale": ({"w": W, "w_scale": HALF, "w_scale_2": HALF}, "w_scale_2"),
    "a packed shape": ({"w": W, "w_scale": HALF, "w_shape": np.array([2, 6])}, "w_shape"),
    "an offset": ({"w": W, "w_scale": HALF, "w_offset": HALF}, "w_offset"),
    "whole numbers": ({"w": W, "w_scale": np.int32(2)}, "int32"),
    "not a number": ({"w": W, "w_scale": np.float32("nan")}, "positive"),
    "infinite": ({"w": W, "w_scale": np.float32("inf")}, "positive"),
    "zero": ({"w": W, "w_scale": np.array([1, 0], "f4")}, "positive"),
    "negative": ({"w": W, "w_scale": np.float32(-1)}, "positive"),
    "zero points between": ({"w": W, "w_scale": HALF, "w_zp": np.float32(0.5)}, "whole"),
    "zero points apart": ({"w": W, "w_scale": HALF, "w_zp": np.zeros(2, "i1")}, "another axis"),
    "zero points across": (
        {"w": W, "w_scale": ROWS, "w_zp": np.zeros(3, "i1")}, "another axis"),
    "two zero points": ({"w": W, "w_scale": HALF, "w_zp": W[:1, :1], "w.zero": W[:1, 0]}, "too"),
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBTS)
def test_where_there_is_a_doubt_the_codes_stay_alone(tmp_path, name):
    arrays, words = DOUBTS[name]
    source = opened(tmp_path, arrays)
    assert source.names == tuple(arrays)
    alone(source, "w", words)


def test_names_of_packed_codes(tmp_path):
    packed = W.astype(np.int32)
    alone(opened(tmp_path, {"a.qweight": packed, "a.qweight_scale": HALF}), "a.qweight", "share")
    alone(opened(tmp_path, {"w_packed": packed, "w_packed_scale": HALF}), "w_packed", "share")


QUIET = {
    "a float": {"w": W.astype(np.float16), "w_scale": HALF},
    "a flag": {"w": W > 0, "w_scale": HALF},
    "a block scale alone": {"w": W, "w_scale_inv": ROWS},
    "two in one folder": {"a.w": W, "a.v": W, "a.scale": HALF},
    "another folder": {"a.w": W, "b.scale": HALF},
    "a counter": {"a.steps": np.array([5], np.uint8), "a.scale": HALF},
    "an index": {"a.index": W.astype(np.int64), "a.scale": HALF},
    "a zero point alone": {"w": W, "w_zero_point": np.int8(3)},
    "a longer word": {"w": W, "w_upscale": HALF, "wscale": HALF},
}


@pytest.mark.parametrize("name", QUIET)
def test_what_no_name_points_to_is_left_alone(tmp_path, name):
    source = opened(tmp_path, QUIET[name])
    assert source.names == tuple(QUIET[name])
    assert {info.about for info in source.infos.values()} == {""}


def test_float8_codes_are_not_guessed(tmp_path):
    weight = torch.tensor([1.0, 2]).to(torch.float8_e4m3fn)
    save_torch({"w": weight, "w_scale": torch.tensor(0.5)}, tmp_path / "a.safetensors")
    assert set(open_file(tmp_path / "a.safetensors")) == {"w", "w_scale"}


def test_the_scale_by_the_full_name_goes_first(tmp_path):
    arrays = {"a.weight": W, "a.weight_scale": HALF, "a.scale": np.float32(7), "a.zero_point": W[0]}
    source = opened(tmp_path, arrays)
    assert source["a.weight" + VALUES][0, 2] == 63.5
    assert source.info("a.scale").about == ""


def test_a_quantized_tensor_of_torch_keeps_its_own(tmp_path):
    parts = {"a.scale": torch.tensor(9.0), "a.zero_point": torch.tensor(3)}
    make = partial(torch.quantize_per_tensor, torch.tensor([1.0, -2]), 0.25, 0, torch.qint8)
    source = open_file(checkpoint(tmp_path / "a.pt", lambda: {"a.weight": make(), **parts}))
    assert source["a.weight" + VALUES].tolist() == [1, -2]


def test_a_name_that_is_taken_gets_a_number(tmp_path):
    source = opened(tmp_path, {"w": W, "w_scale": HALF, "w" + VALUES: np.ones(2)})
    assert source.names == ("w", f"w{VALUES}#2", "w_scale", "w" + VALUES)
    assert source["w" + VALUES].tolist() == [1, 1]


def test_batches_of_codes_are_not_joined(tmp_path):
    arrays = {"batch_0": W, "batch_1": W, "batch_0_scale": HALF, "batch_1_scale": HALF}
    assert "batch_*" not in opened(tmp_path, arrays).names


def shards(tmp_path, scale):
    save_file({"w": W}, tmp_path / "1.safetensors")
    save_file({"w_scale": np.array([scale], np.float32)}, tmp_path / "2.safetensors")
    files = {"w": "1.safetensors", "w_scale": "2.safetensors"}
    index = tmp_path / "m.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": files}))
    return open_file(index)


def test_parts_in_another_shard(tmp_path):
    first = shards(tmp_path, 0.5)
    assert first["w" + VALUES][0, 2] == 63.5
    second = shards(tmp_path, 1)
    assert second["w" + VALUES][0, 2] == 127


def test_only_so_many_are_read(tmp_path, monkeypatch):
    arrays = {"v": W, "v_scale": ROWS, "w": W, "w_scale": ROWS}
    monkeypatch.setattr(pairs, "PARAMETERS", 3)
    alone(opened(tmp_path, arrays), "w", "only 3 scales")
    monkeypatch.setattr(pairs, "PAIRS", 1)
    alone(opened(tmp_path, arrays), "w", "only 1 pairs")
    assert "v" + VALUES in opened(tmp_path, arrays).names


def test_a_scale_whose_bytes_are_damaged(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", w=W, w_scale=np.arange(1, 3, dtype=np.float32))
    raw = bytearray((tmp_path / "a.npz").read_bytes())
    at = raw.index(b"w_scale.npy") + len("w_scale.npy")
    size = raw.index(b"PK\x01\x02") - at
    raw[at + size - 6] ^= 0xFF
    (tmp_path / "a.npz").write_bytes(raw)
    source = open_file(tmp_path / "a.npz")
    assert "w" in source.names and "w" + VALUES not in source.names
