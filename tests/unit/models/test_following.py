"""The weight that a value meets next."""

import numpy as np
import pytest

from qviz.models.following import following
from qviz.models.model import read_model
from qviz.sources.base import open_file
from tests.unit.models.graphs import TWIN, node, value, written


def found(path, name):
    return following(read_model(path), open_file(path), name)


@pytest.mark.parametrize(
    ("name", "weight", "axis"),
    [
        ("images", (8, 1, 3, 3), 1),
        ("relu", (8, 1, 3, 3), 0),  # depthwise: one channel in, one out
        ("relu6", (16, 8, 1, 1), 1),
        ("features", (32, 256), 1),
        ("gelu", (10, 32), 1),
    ],
)
def test_channels_of_a_value_are_inputs_of_the_next_weight(name, weight, axis):
    w, along = found(TWIN, name)
    assert (w.shape, along) == (weight, axis)


@pytest.mark.parametrize("name", ["conv1", "hard_swish", "logits", "nowhere"])
def test_nothing_follows_where_no_weight_does(name):
    assert found(TWIN, name) is None


def small(tmp_path, nodes, outputs=("y",), **stored):
    return written(tmp_path / "m.onnx", nodes, [value("x", [2, 4])], outputs, **stored)


def test_rows_of_a_matmul_and_of_a_gemm(tmp_path):
    w = np.ones((4, 3), np.float32)
    path = small(tmp_path, [node("MatMul", "x w", "y")], w=w)
    assert found(path, "x")[1] == 0
    path = small(tmp_path, [node("Gemm", "x w", "y")], w=w)
    assert found(path, "x")[1] == 0
    path = small(tmp_path, [node("Gemm", "x w", "y", transB=1)], w=w.T.copy())
    assert found(path, "x")[1] == 1
    path = small(tmp_path, [node("Gemm", "x w", "y", transA=1)], w=w)
    assert found(path, "x") is None


def test_a_value_with_two_readers_or_that_is_given_cannot_be_rescaled(tmp_path):
    w = np.ones((4, 3), np.float32)
    two = [node("Relu", "x", "r"), node("MatMul", "r w", "y"), node("Neg", "r", "z")]
    assert found(small(tmp_path, two, ["y", "z"], w=w), "r") is None
    given = [node("Relu", "x", "r"), node("MatMul", "r w", "y")]
    assert found(small(tmp_path, given, ["y", "r"], w=w), "r") is None
    assert found(small(tmp_path, given, ["y"], w=w), "r") is not None
    second = [node("Transpose", "x", "t"), node("MatMul", "w x", "y")]
    assert found(small(tmp_path, second, ["y"], w=np.ones((3, 2), np.float32)), "x") is None


def test_groups_of_channels_are_left_alone(tmp_path):
    w = np.ones((4, 2, 1, 1), np.float32)
    path = written(
        tmp_path / "m.onnx", [node("Conv", "x w", "y", group=2)], [value("x", [1, 4, 3, 3])],
        ["y"], w=w,
    )  # fmt: skip
    assert found(path, "x") is None
