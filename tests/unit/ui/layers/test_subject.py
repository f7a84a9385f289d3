"""Names of runs, and which file is taken for a model."""

import pytest
import streamlit as st

from qviz.ui.layers.subject import run_name


@pytest.mark.parametrize(
    ("shown", "listed", "name"),
    [
        ("net.onnx, run", (), "net.onnx, run"),
        ("net.onnx, run", ("net.onnx, run",), "net.onnx, run 2"),
        ("net.onnx, run, run", ("net.onnx, run",), "net.onnx, run 2"),
        ("net.onnx, run 2, run", ("net.onnx, run", "net.onnx, run 2"), "net.onnx, run 3"),
    ],
)
def test_a_run_of_a_run_is_another_run_of_the_model(monkeypatch, shown, listed, name):
    monkeypatch.setattr(st, "session_state", {"opened": dict.fromkeys(listed)})
    assert run_name(shown) == name
