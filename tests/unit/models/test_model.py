"""What is read of a graph without running it."""

import zipfile

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from qviz.errors import RefusedFile
from qviz.models.declared import Input
from qviz.models.model import read_model
from tests.unit.models.graphs import DIGITS, node, value, written


def test_the_bundled_network():
    model = read_model(DIGITS)
    assert model.inputs == (Input("images", "float32", ("batch", 1, 8, 8)),)
    assert model.outputs == ("logits",)
    assert [node.op for node in model.nodes[:4]] == ["Conv", "BatchNormalization", "Relu", "Conv"]
    assert model.ops["hard_swish"] == "HardSwish" and model.ops["fc1.weight"] == "Gemm"
    assert "zero" not in {name for node in model.nodes for name in node.outputs}


def test_operations_are_found_behind_reshaping(tmp_path):
    nodes = [
        node("DequantizeLinear", "w s", "d"),
        node("Transpose", "d", "t", perm=[1, 0]),
        node("MatMul", "x t", "y"),
        node("ConvTranspose", "i k", "z"),
        node("Gemm", "x g", "a"),
        node("Gemm", "x h", "b", transB=1),
    ]
    weights = {name: np.ones((2, 2), np.int8) for name in "w"}
    weights |= {name: np.ones((2, 2), np.float32) for name in "kgh"}
    made = written(
        tmp_path / "m.onnx", nodes, [value("x", [1, 2])], ["y"], s=np.float32(1), **weights
    )
    model = read_model(made)
    assert {name: model.ops[name] for name in "wkgh"} == {
        "w": "MatMul", "k": "ConvTranspose", "g": "Gemm", "h": "Gemm",
    }  # fmt: skip
    axes = {name: model.channel_axis(name, 2) for name in "wkgh"}
    assert axes == {"w": 0, "k": 1, "g": 1, "h": 0}  # w is turned before it is multiplied
    assert model.channel_axis("s", 0) is None


def test_inputs_say_what_is_open_and_what_is_no_number(tmp_path):
    inputs = [
        value("x", [None, "n", 3], TensorProto.INT64),
        value("any", None),
        value("words", [2], TensorProto.STRING),
        value("w", [2]),
    ]
    made = written(tmp_path / "m.onnx", [node("Relu", "w", "y")], inputs, ["y"], w=np.ones(2))
    assert read_model(made).inputs == (  # w has a value of its own
        Input("x", "int64", ("", "n", 3)),
        Input("any", "float32", None),
        Input("words", "", (2,), "text"),
    )


def test_bodies_of_control_flow_are_counted(tmp_path):
    body = onnx.helper.make_graph([node("Neg", "x", "p")], "b", [], [value("p", None)])
    made = written(
        tmp_path / "m.onnx",
        [node("If", "c", "y", then_branch=body, else_branch=body)],
        [value("x", [2])],
        ["y"],
        c=np.array(True),
    )
    model = read_model(made)
    assert (model.inner, [n.op for n in model.nodes]) == (2, ["If"])


def test_a_program_is_told_how_it_can_be_run(tmp_path):
    with zipfile.ZipFile(tmp_path / "net.pt", "w") as archive:
        archive.writestr("net/constants.pkl", b"")
    with pytest.raises(RefusedFile, match=r"qviz\.capture in Python, or export") as refusal:
        read_model(tmp_path / "net.pt")
    assert refusal.value.code == "L08"


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "empty.onnx").touch()
    np.save(tmp_path / "a.npy", np.ones(3))
    written(tmp_path / "bare.onnx", [], w=np.ones(3, np.float32))
    for name, words in (("empty.onnx", "no ONNX"), ("a.npy", "no ONNX"), ("bare.onnx", "no graph")):
        with pytest.raises(RefusedFile, match=words) as refusal:
            read_model(tmp_path / name)
        assert refusal.value.code == "L15"
    with pytest.raises(RefusedFile, match="cannot be read"):
        read_model(tmp_path / "missing.onnx")


def test_channels_of_values(tmp_path):
    nodes = [
        node("DequantizeLinear", "w s", "d", axis=0),
        node("Conv", "x d", "c"),
        node("Relu", "c", "r"),
        node("NoSuch", "r", "u"),
    ]
    w, s = np.ones((4, 3, 3), np.int8), np.ones(4, np.float32)
    made = written(tmp_path / "m.onnx", nodes, [value("x", None)], ["u"], w=w, s=s)
    model = read_model(made)
    assert [model.value_axis(name, 3) for name in "xcr"] == [1, 1, 1]
    assert model.value_axis("d", 3) is None  # batches are joined along axis 0
    assert [model.value_axis("u", rank) for rank in (1, 3, 4)] == [None, 2, 1]  # by custom
    assert model.channel_axis("w", 3) == 0
