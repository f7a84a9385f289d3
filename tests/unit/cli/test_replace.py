"""``replace``: a line for the model as it is, and one for each content."""

import io
import json

import numpy as np
import pytest

from qviz.cli import replace
from qviz.cli.main import main
from tests.unit.models.graphs import node, value, written


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """What is printed of a model whose logarithms are NaN, when contents of its input are given."""
    monkeypatch.setattr(replace, "limit_this_process", lambda _: None)
    path = written(tmp_path / "m.onnx", [node("Log", "x", "y")], [value("x", ["n", 3])], ["y"])

    def run(labels, *contents):
        np.savez(tmp_path / "in.npz", x=np.float32([[1, 2, 4], [4, -1, 4]]), labels=labels)
        names = [tmp_path / f"{at}.npy" for at in range(len(contents))]
        for name, content in zip(names, contents, strict=True):
            np.save(name, np.float32(content))
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{name}\n" for name in names)))
        words = [str(path), "--inputs", str(tmp_path / "in.npz"), "--tensor", "x"]
        assert main(["replace", *words]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_the_same_content_is_no_loss_beside_nan(said):
    """Of 0, 1, 2, 2 and 2 bits one becomes 3."""
    same, other = [1, 2, 4, 4, -1, 4], [1, 2, 8, 4, -1, 4]
    begun, first, second, third = said([2, 0], same, other, [1, -2, 4, 4, -1, 4])
    assert begun == {"output": "y", "samples": 2, "accuracy": 0.5, "unjudged": ""}
    assert first == {"sqnr": None, "accuracy": 0.5, "lossless": True, "note": ""}
    assert second["sqnr"] == pytest.approx(10 * np.log10(13 / 1), abs=1e-5)
    assert third["sqnr"] is None and "not finite where it was" in third["note"]


def test_labels_beyond_the_output_say_why_there_is_no_accuracy(said):
    (begun,) = said([3, 0])
    assert begun["accuracy"] is None and "Labels go from 0 to 3" in begun["unjudged"]
