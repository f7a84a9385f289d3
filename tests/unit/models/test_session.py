"""The runtime's errors as sentences."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from qviz.errors import QvizError
from qviz.models.limits import Limits
from qviz.models.session import Session, words_of
from tests.unit.models.graphs import node, value, written

HERE = "/onnxruntime_src/onnxruntime/core/"
FAIL = "[ONNXRuntimeError] : 1 : FAIL :"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{FAIL} Load model from a.onnx failed:{HERE}graph/graph.cc:1407 onnxruntime::Graph::"
            "Graph(const onnxruntime::Model&, const std::unordered_map<std::__cxx11::basic_string"
            "<char>, int>&, bool) status.IsOK() was false. "
            f"{FAIL} utils.cc:3112 SparseToDense Sparse tensor: w (dense) is too large.\n",
            "Sparse tensor: w (dense) is too large.",
        ),
        (
            f"{FAIL} Non-zero status code. Name:'' Status Message: {HERE}op_kernel.cc:87 virtual "
            "OrtValue* onnxruntime::OpKernelContext::Output(int, const std::function<void(int)>&) "
            f"const [with T = float] {FAIL} The size overflowed\n",
            "The size overflowed.",
        ),
        (
            f"{HERE}common/safeint.h:17 static void Handler<onnxruntime::Error>::Over() Overflow",
            "Overflow.",
        ),
        (f"{FAIL} x (2) of node (a) is no input.", "x (2) of node (a) is no input."),
        ("word " * 200, f"{'word ' * 84}...."),
        ("", "RuntimeError."),
    ],
)
def test_the_reason_is_kept_and_the_place_is_not(text, said):
    assert words_of(RuntimeError(text)) == f"It says: {said}"


def test_what_the_runtime_itself_says_of_a_function_without_end(tmp_path):
    own = helper.make_opsetid("own", 1), helper.make_opsetid("", 20)
    calls = helper.make_node("R", ["a"], ["b"], domain="own")
    model = onnx.load(written(tmp_path / "m.onnx", [], [value("x", [1])], ["y"]))
    model.graph.node.append(helper.make_node("R", ["x"], ["y"], domain="own"))
    model.functions.append(helper.make_function("own", "R", ["a"], ["b"], [calls], list(own)))
    model.opset_import.append(own[0])
    with pytest.raises(QvizError, match=r"It says: .*must not be recursive") as error:
        Session(model.SerializeToString(), Limits())
    assert "::" not in str(error.value)


def test_nothing_is_logged(tmp_path, capfd):
    nodes = [node("Range", "a b c", "y")]
    ends = {"a": np.array(0), "b": np.array(2**62), "c": np.array(1)}
    path = written(tmp_path / "m.onnx", nodes, [value("x", [1], TensorProto.FLOAT)], ["y"], **ends)
    with pytest.raises(QvizError, match="overflowed"):
        Session(path.read_bytes(), Limits()).run(["y"], {"x": np.ones(1, np.float32)})
    assert capfd.readouterr().err == ""
