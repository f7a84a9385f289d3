"""The commands that run models: capture, layers, alone."""

import json
import subprocess
import sys

import numpy as np
import pytest

from qviz.cli.main import main
from qviz.models.layers import KEYS
from qviz.sources.base import open_file
from tests.browser.serving import ROOT
from tests.unit.models.graphs import node, value, written
from tests.unit.samples import load, sqnr, symmetric

FOUR = "absmax 4 signed symmetric narrow_range"


def command(*words):
    """A command in a process of its own, as the limits that it sets are for good."""
    return subprocess.run(
        [sys.executable, "-m", "qviz", *map(str, words)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def rows(capsys, *words):
    assert main(["layers", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("capture") / "c.npz"
    words = ("sample:digits_cnn_rescaled.onnx", "--inputs", "sample:digits_calib.npz")
    ended = command("capture", *words, "--out", path)
    assert (ended.returncode, ended.stdout) == (0, "")
    batches = [line for line in ended.stderr.splitlines() if line.startswith("batch")]
    assert batches == [f"batch {done} of 4" for done in range(5)]
    return path


def test_rows_of_a_saved_capture(saved, capsys):
    found = rows(capsys, saved, "--activations", FOUR)
    assert all(tuple(row) == KEYS for row in found)
    by_name = {row["name"]: row for row in found}
    x = np.asarray(open_file(saved)["relu"], np.float64)
    relu = by_name["relu"]
    assert (relu["op"], relu["role"], relu["shape"]) == ("Relu", "activation", [128, 8, 8, 8])
    assert relu["sqnr"] == pytest.approx(sqnr(x, symmetric(x, 4)), abs=1e-3)
    assert (relu["min"], relu["max"], relu["worst_channel"]) == (0.0, x.max(), 3)
    known = [r["sqnr"] for r in found if r["role"] in ("weight", "activation") and r["sqnr"]]
    assert known == sorted(known) and len(known) > 15
    assert by_name["zero"]["sqnr"] is None


def test_rows_of_a_checkpoint_are_weights(capsys):
    found = {row["name"]: row for row in rows(capsys, "sample:digits_cnn.safetensors")}
    weight = load("digits_cnn.safetensors")["fc1.weight"]
    assert found["fc1.weight"]["op"] is None and found["fc1.weight"]["shape"] == [32, 256]
    own = sqnr(weight, symmetric(weight.astype(np.float64), 8, 0))
    assert found["fc1.weight"]["sqnr"] == pytest.approx(own, abs=0.3)  # -128 is a code here


def test_a_model_runs_where_inputs_are_given(tmp_path, capsys):
    path = written(tmp_path / "m.onnx", [node("Relu", "x", "y")], [value("x", ["n", 6])], ["y"])
    np.save(tmp_path / "x.npy", np.linspace(-1, 2, 60, dtype=np.float32).reshape(10, 6))
    found = rows(capsys, path, "--inputs", tmp_path / "x.npy")
    assert {(row["name"], row["min"], row["max"]) for row in found} == {("x", -1, 2), ("y", 0, 2)}
    assert rows(capsys, path, "--axis", "n=3", "--batches", 1)[0]["shape"] == [3, 6]


def test_a_model_that_was_not_run_is_said_to_be(saved, capsys):
    for words in ((), ("--json",)):
        assert main(["layers", "sample:digits_cnn.onnx", *words]) == 0
        said = capsys.readouterr()
        assert "weights only: the model was not run; give --inputs, --axis" in said.err
        assert "weights only" not in said.out
    for other in (saved, "sample:digits_cnn.safetensors"):
        assert main(["layers", str(other)]) == 0
        assert capsys.readouterr().err == ""


def test_long_names_are_shortened_and_what_is_left_out_is_named(tmp_path, capsys):
    long = "w" * 10_000
    nodes = [node("SequenceConstruct", f"x {long}", "s"), node("Mul", f"x {long}", "y" * 300)]
    path = written(
        tmp_path / "m.onnx", nodes, [value("x", [3])], ["y" * 300], **{long: np.zeros(3, "f4")}
    )
    assert main(["layers", str(path), "--batches", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 250 and any(line.startswith("www") for line in lines)
    assert any(line.startswith("s  left out: seq(tensor(float)) is not") for line in lines)
    ended = command("alone", path, "--batches", 1)
    assert ended.returncode == 0 and max(map(len, ended.stdout.splitlines())) < 250
    assert len({row["name"] for row in rows(capsys, path)}.pop()) == 10_000


def test_the_table_is_for_people(saved, capsys):
    assert main(["layers", str(saved), "--activations", FOUR]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["tensor", "op", "role"]
    assert lines[1].split()[0] == "hard_swish"
    assert "channel 3 is loud in bn1, relu" in lines


def test_one_tensor_at_a_time():
    words = ("sample:digits_cnn_rescaled.onnx", "--inputs", "sample:digits_calib.npz")
    ended = command("alone", *words, "--activations", FOUR, "--batch", 128)
    lines = ended.stdout.splitlines()
    assert lines[0] == "logits: 128 samples, 99.22% right in float"
    assert lines[2].split()[:3] == ["relu", "Relu", "activation"]
    assert len(lines) == 2 + 11


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["layers", "sample:digits_cnn.onnx", "--axis", "n"], "gives no axis a length"),
        (["layers", "sample:digits_cnn.onnx", "--batches", "1"], "--axis batch=8"),
        (["layers", "sample:digits_cnn.onnx", "--weights", "nosuch"], "No observer"),
        (["layers", "sample:digits_cnn.onnx", "--weights", "absmax 8 8 4"], "bit width twice"),
        (["layers", "sample:digits_cnn.onnx", "--axis", "no=1"], "Open are batch"),
        (["layers", "nosuch.onnx"], "is not a file"),
        (["layers", "sample:digits_cnn.onnx", "--inputs", "x", "--memory", "0"], "above 0"),
    ],
)
def test_mistakes_end_in_one_line(words, said, capsys):
    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_nowhere_to_write(tmp_path):
    words = ("sample:digits_cnn.onnx", "--axis", "batch=2", "--out", tmp_path / "no" / "c.npz")
    ended = command("capture", *words)
    assert ended.returncode == 2 and "cannot be written" in ended.stderr


def test_values_that_hold_nan_are_told(tmp_path, capsys):
    values = {
        "fine": np.ones((2, 3)),
        "bad": np.array([[1.0, np.nan]]),
        "worse": np.full(2, np.nan),
    }
    np.savez(tmp_path / "v.npz", **values)
    assert main(["layers", str(tmp_path / "v.npz")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if line.startswith("NaN")] == [
        "NaN in 2 tensors; the first is bad"
    ]
