"""The command that lists a file."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from onnx import helper, numpy_helper, save
from safetensors.numpy import save_file

from qviz.cli.main import main

X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


def onnx(path):
    stored = [
        numpy_helper.from_array((10 * X).astype(np.int8), "w"),
        numpy_helper.from_array(np.float32(0.1), "s"),
    ]
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["y"])]
    save(helper.make_model(helper.make_graph(nodes, "g", [], [], stored)), path)


def sharded(path):
    save_file({"w": X}, path.parent / "one.safetensors")
    path.write_text(json.dumps({"weight_map": {"w": "one.safetensors"}}))


FILES = {
    "a.npy": lambda path: np.save(path, X),
    "a.npz": lambda path: np.savez(path, batch_0=X, batch_1=X[:2]),
    "a.safetensors": lambda path: save_file({"w": X}, path),
    "a.pt": lambda path: torch.save({"w": torch.from_numpy(X)}, path),
    "a.onnx": onnx,
    "a.csv": lambda path: pd.DataFrame(X).to_csv(path, index=False),
    "a.parquet": lambda path: pd.DataFrame(X, columns=list("abcd")).to_parquet(path),
    "model.safetensors.index.json": sharded,
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_listed_and_compared(tmp_path, name, capsys):
    FILES[name](tmp_path / name)
    assert main(["list", str(tmp_path / name)]) == 0
    assert "float32  6x4" in capsys.readouterr().out or name in ("a.npz", "a.csv")
    assert main(["list", str(tmp_path / name), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["file"] == name and said["skipped"] == {}
    names = [tensor["name"] for tensor in said["tensors"] if tensor["name"] != "s"]  # a scale
    words = ["--observers", "minmax", "--json"]
    assert main(["compare", str(tmp_path / name), *words]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert {row["tensor"] for row in compared} == set(names)


def test_qparams_batches_and_what_is_left_out_are_told(tmp_path, capsys):
    onnx(tmp_path / "a.onnx")
    main(["list", str(tmp_path / "a.onnx"), "--json"])
    codes, values, scale = json.loads(capsys.readouterr().out)["tensors"]
    assert codes["qparams"]["scale"] == pytest.approx(0.1) == values["qparams"]["scale"]
    assert codes["qparams"]["zero_point"] == 0 and codes["qparams"]["quant_min"] == -128
    assert values["name"] == "w (dequantized)" and scale["qparams"] is None
    np.savez(tmp_path / "a.npz", batch_0=X, batch_1=X[:2], words=np.array(["x"]))
    main(["list", str(tmp_path / "a.npz")])
    out = capsys.readouterr().out
    assert "2 of axis 0" in out and "words  left out: Text has no range. (L10)" in out


def test_batches_of_other_length_are_compared_as_batches(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", batch_0=X, batch_1=100 * X[:1])
    words = ["--observers", "moving_average", "--json"]
    main(["compare", f"{tmp_path / 'a.npz'}::batch_*", *words])
    (row,) = json.loads(capsys.readouterr().out)
    lo, later = float(X.min()), float(100 * X[:1].min())
    assert row["lo"] == pytest.approx(lo + 0.1 * (later - lo), rel=1e-5)


def test_numbers_beyond_their_type_are_noted(tmp_path, capsys):
    np.save(tmp_path / "big.npy", np.array([1e300, -1.0]))
    main(["compare", str(tmp_path / "big.npy"), "--observers", "minmax"])
    assert "does not fit float32" in capsys.readouterr().out
    np.save(tmp_path / "wide.npy", np.array([2**60, -1]))
    main(["compare", str(tmp_path / "wide.npy"), "--observers", "minmax"])
    assert "2^53" in capsys.readouterr().out


def test_long_and_empty_names_are_shortened_and_named(tmp_path, capsys):
    long = "a" * 5_000 + "z" * 5_000
    path = tmp_path / "a.safetensors"
    save_file({long: X, "": X, f"{long}.w": X.astype(np.int8), f"{long}.w_scale": X[0, :1]}, path)
    assert main(["list", str(path)]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) < 500
    assert "a" * 40 + "…" + "z" * 39 + "  " in out and "(no name)" in out
    assert main(["compare", str(path), "--observers", "minmax"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 300
    assert main(["list", f"{path}::none"]) == 2
    assert len(capsys.readouterr().err) < 600


def test_a_scale_of_several_axes_is_not_taken_up_and_the_codes_say_why(tmp_path, capsys):
    scale = np.ones((6, 4), np.float32)
    np.savez(tmp_path / "a.npz", w=(10 * X).astype(np.int8), w_scale=scale)
    main(["list", str(tmp_path / "a.npz")])
    (line,) = (n for n in capsys.readouterr().out.splitlines() if n.startswith("w "))
    assert "Its scale is not taken up: w_scale of shape (6, 4) fits several axes" in line
