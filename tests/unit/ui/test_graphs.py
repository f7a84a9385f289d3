"""Models as files of a session: without a tensor, without a node, without a graph."""

import numpy as np
import pytest
import streamlit as st

from qviz.errors import RefusedFile
from qviz.ui.graphs import can_run, open_file
from tests.unit.models.graphs import node, value, written


@pytest.fixture(autouse=True)
def state(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})


def test_a_graph_without_constants_opens_without_tensors(tmp_path):
    path = written(tmp_path / "m.onnx", [node("Relu", "x", "y")], [value("x", [2])], ["y"])
    source = open_file(path, "m.onnx")
    assert not source.infos and not source.skipped and source.title == "m.onnx"
    assert can_run(source)


def test_a_graph_without_nodes_says_that_nothing_runs(tmp_path):
    path = written(tmp_path / "m.onnx", [], [value("x", [2])], ["x"])
    with pytest.raises(RefusedFile, match=r"m\.onnx holds no graph to run") as refusal:
        open_file(path, "m.onnx")
    assert refusal.value.code == "L15"


def test_tensors_without_nodes_are_tensors(tmp_path):
    path = written(tmp_path / "m.onnx", [], w=np.ones(3, np.float32))
    source = open_file(path, "m.onnx")
    assert source.names == ("w",) and not can_run(source)


def test_a_model_whose_tensors_are_damaged_is_refused(tmp_path):
    nodes = [node("Add", "x w", "y")]
    path = written(tmp_path / "m.onnx", nodes, [value("x", [2])], ["y"], w=np.ones(2, np.float32))
    path.write_bytes(path.read_bytes().replace(b"\x08\x02\x10\x01", b"\x08\x7f\x10\x01"))
    with pytest.raises(RefusedFile, match="holds nothing to read"):
        open_file(path, "m.onnx")


def test_other_files_are_refused_as_ever(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"no tensors here")
    (tmp_path / "b.onnx").write_bytes(b"")
    for name in ("a.bin", "b.onnx", "missing.onnx"):
        with pytest.raises(RefusedFile):
            open_file(tmp_path / name, name)
    np.savez(tmp_path / "c.npz", a=np.ones(2), b=np.ones(2))
    source = open_file(tmp_path / "c.npz", "c.npz")
    assert set(source.names) == {"a", "b"} and not can_run(source)
