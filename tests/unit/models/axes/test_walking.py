"""Channels of the values of a graph, by what its operations do."""

import numpy as np
import onnx
import pytest

from qviz.models.feeds import Feeds, batches
from qviz.models.limits import Limits
from qviz.models.model import read_model
from qviz.models.running import Run
from tests.unit.models.graphs import node, value, written

RANDOM = np.random.default_rng(0)
IMAGE, TOKENS = [2, 6, 5, 4], [2, 5, 6]
ONE, TWO, LESS = np.array([1]), np.array([2]), np.array([-1])
HEADS = [node("Reshape", "m s", "a"), node("Transpose", "a", "y", perm=[0, 2, 3, 1])]
CONV = np.ones((8, 6, 1, 1), np.float32)
MATRIX = np.ones((6, 8), np.float32)


def axes(folder, nodes, shape, **constants):
    made = written(folder / "m.onnx", nodes, [value("x", shape)], ["y"], **constants)
    return read_model(made)._axes


@pytest.mark.parametrize(
    ("shape", "weight", "op"),
    [([4, 3, 20], (16, 3, 1), "Conv"), ([2, 7, 9, 12], (12, 16), "MatMul")],
    ids=["samples, channels, steps", "samples, rows, columns, channels"],
)
def test_a_loud_channel_is_seen_behind_what_works_element_by_element(tmp_path, shape, weight, op):
    w = RANDOM.standard_normal(weight).astype(np.float32)
    loud = w if op == "Conv" else w.T
    loud[5] *= 50
    nodes = [node(op, "x w", "m"), node("Relu", "m", "r"), node(op, "r v", "y")]
    more = np.ones((4, 16, 1) if op == "Conv" else (16, 4), np.float32)
    path = written(tmp_path / "m.onnx", nodes, [value("x", shape)], ["y"], w=w, v=more)
    model = read_model(path)
    run = Run(model, Limits(), tmp_path)
    run.run(batches(model, Feeds(batches=2)), lambda *_: None)
    ends = {one.info.name: one.gathered.channels for one in run.entries()}
    assert [int(ends[name].amax.argmax()) for name in "mr"] == [5, 5]
    assert [len(ends[name].lo) for name in "xmry"] == [
        weight[op == "Conv"] if op == "Conv" else 12,
        16,
        16,
        4,
    ]


@pytest.mark.parametrize(
    ("then", "axis", "constants"),
    [
        ([node("Transpose", "m", "y", perm=[0, 2, 3, 1])], 3, {}),
        ([node("Transpose", "m", "y")], 2, {}),
        ([node("Transpose", "m", "y", perm=[0, 0, 0, 0])], None, {}),
        ([node("Reshape", "m s", "y")], 1, {"s": np.array([2, 8, -1])}),
        ([node("Reshape", "m s", "y")], 1, {"s": np.array([0, 0, -1])}),
        ([node("Reshape", "m s", "y")], None, {"s": np.array([2, -1])}),
        ([node("Flatten", "m", "y")], None, {}),
        ([node("GlobalAveragePool", "m", "p"), node("Flatten", "p", "y")], 1, {}),
        ([node("ReduceMean", "m k", "y", keepdims=0)], 1, {"k": np.array([2, 3])}),
        ([node("ReduceMean", "m k", "y", keepdims=0)], None, {"k": ONE}),
        ([node("ReduceMean", "m k", "y")], 1, {"k": np.array([2, 3])}),
        ([node("Unsqueeze", "m k", "y")], 2, {"k": ONE}),
        ([node("Unsqueeze", "m k", "u"), node("Squeeze", "u k", "y")], 1, {"k": LESS}),
        ([node("Gather", "m k", "y", axis=2)], 1, {"k": np.array(0)}),
        ([node("Gather", "m k", "y", axis=0)], 0, {"k": np.array(0)}),
        ([node("Gather", "m k", "y", axis=1)], 1, {"k": TWO}),
        ([node("Concat", "m m", "y", axis=3)], 1, {}),
        ([node("Split", "m", "y z", axis=2, num_outputs=2)], 1, {}),
        ([node("Add", "b m", "y")], 1, {"b": np.ones(4, np.float32)}),
        ([node("Expand", "m k", "y")], 2, {"k": np.array([3, 2, 8, 5, 4])}),
        ([node("Clip", "m k", "c"), node("Softmax", "c", "y")], 1, {"k": np.float32(0)}),
        ([node("LayerNormalization", "m k", "y")], -1, {"k": np.ones(4, np.float32)}),
        ([node("LayerNormalization", "m k", "y", axis=1)], 1, {"k": np.ones((8, 5, 4))}),
        ([node("NoSuch", "m", "y")], None, {}),
    ],
)
def test_what_comes_behind_a_convolution(tmp_path, then, axis, constants):
    found = axes(tmp_path, [node("Conv", "x w", "m"), *then], IMAGE, w=CONV, **constants)
    assert (found["m"], found.get("y")) == (1, axis)


@pytest.mark.parametrize(
    ("then", "axis", "constants"),
    [
        ([node("Transpose", "m", "y", perm=[0, 2, 1])], 1, {}),
        ([node("Reshape", "m s", "y")], 1, {"s": np.array([-1, 8])}),
        ([node("Reshape", "m s", "y")], 3, {"s": np.array([0, 0, 2, 4])}),  # heads
        (HEADS, 2, {"s": np.array([0, 0, 2, 4])}),
        ([node("Gather", "m k", "y", axis=1)], 1, {"k": np.array(0)}),
        ([node("Add", "m p", "y")], -1, {"p": np.ones((5, 8), np.float32)}),
        ([node("MatMul", "m t", "y")], None, {"t": np.ones(8, np.float32)}),
        ([node("LSTM", "m t t", "y h c")], -1, {"t": np.ones((1, 8, 8), np.float32)}),
    ],
)
def test_what_comes_behind_a_product(tmp_path, then, axis, constants):
    found = axes(tmp_path, [node("MatMul", "x w", "m"), *then], TOKENS, w=MATRIX, **constants)
    assert (found["m"], found.get("y")) == (-1, axis)


@pytest.mark.parametrize(
    ("nodes", "axis", "weight", "constants"),
    [
        ([node("Relu", "x", "a"), node("Conv", "a w", "y")], 1, 0, {"w": CONV}),
        ([node("Neg", "x", "a"), node("MatMul", "a w", "y")], -1, -1, {"w": np.ones((4, 8))}),
        ([node("MatMul", "w x", "y")], -2, -2, {"w": np.ones((8, 5))}),
        ([node("Gemm", "x w", "y", transA=1, transB=1)], -2, -2, {"w": np.ones((8, 6))}),
        (
            [node("Transpose", "x", "a", perm=[0, 3, 1, 2]), node("Conv", "a w", "y")],
            *(3, 0, {"w": np.ones((8, 4, 1, 1))}),
        ),
        (
            [node("Transpose", "w", "a", perm=[1, 0]), node("MatMul", "x a", "y")],
            *(-1, 0, {"w": np.ones((8, 4))}),
        ),
        ([node("MatMul", "x x", "w")], None, -1, {}),
    ],
)
def test_an_input_and_a_weight_have_them_where_they_are_read(
    tmp_path, nodes, axis, weight, constants
):
    found = axes(tmp_path, nodes, IMAGE, **constants)
    assert (found.get("x"), found["w"]) == (axis, weight)


def test_rows_of_a_table_are_channels(tmp_path):
    nodes = [node("Gather", "w x", "e"), node("Tanh", "e", "y")]
    found = axes(tmp_path, nodes, [2, 5], w=np.ones((9, 6), np.float32))
    assert (found["e"], found["y"], found["w"]) == (-1, -1, -1)


def test_declared_shapes_help_where_a_reshape_is_computed(tmp_path):
    nodes = [node("Conv", "x w", "m"), node("Shape", "m", "s"), node("Reshape", "m s", "y")]
    path = written(tmp_path / "m.onnx", nodes, [value("x", IMAGE)], [], w=CONV)
    assert "y" not in read_model(path)._axes
    model = onnx.load(path)
    model.graph.output.append(value("y", [2, 8, None]))
    path.write_bytes(model.SerializeToString())
    assert read_model(path)._axes["y"] == 1


def test_heads_that_are_merged_again_are_one_axis_also_behind_a_class_token(tmp_path):
    nodes = [
        node("Concat", "c x", "j", axis=1), node("Add", "j p", "e"), node("MatMul", "e w", "m"),
        node("Reshape", "m s", "h"), node("Transpose", "h", "t", perm=[0, 2, 1, 3]),
        node("Relu", "t", "r"), node("Transpose", "r", "b", perm=[0, 2, 1, 3]),
        node("Reshape", "b k", "y"), node("Tanh", "y", "z"),
    ]  # fmt: skip
    constants = {"p": np.ones((1, 7, 6)), "w": MATRIX, "s": np.array([0, 7, 2, 4])}
    shape = ["n", 6, 6]
    made = written(
        tmp_path / "m.onnx", nodes, [value("x", shape), value("c", None)], ["z"],
        k=np.array([0, 7, 8]), **constants,
    )  # fmt: skip
    model = read_model(made)
    ranks = {"m": 3, "h": 4, "t": 4, "r": 4, "b": 4, "y": 3, "z": 3}
    assert [model.value_axis(name, rank) for name, rank in ranks.items()] == [2, 3, 3, 3, 3, 2, 2]


def test_of_axes_that_nothing_tells_none_holds_channels(tmp_path):
    nodes = [
        node("NoSuch", "x", "u"), node("Reshape", "u s", "y"),
        node("Transpose", "y", "t", perm=[0, 2, 1, 3]), node("NoSuch", "t", "z"),
    ]  # fmt: skip
    made = written(
        tmp_path / "m.onnx", nodes, [value("x", TOKENS)], ["z"], s=np.array([2, 5, 2, 3])
    )
    model = read_model(made)
    assert [model.value_axis(name, 4) for name in "ytz"] == [None, None, 1]
    assert model.value_axis("y", 3) == 2


@pytest.mark.parametrize(("kind", "axis"), [("INT64", None), ("BOOL", None), ("FLOAT", 1)])
def test_whole_numbers_that_are_fed_have_no_channels(tmp_path, kind, axis):
    fed = value("x", [2, 5], getattr(onnx.TensorProto, kind))
    model = read_model(written(tmp_path / "m.onnx", [node("Cast", "x", "y", to=1)], [fed], ["y"]))
    assert (model.value_axis("x", 2), model.value_axis("y", 2)) == (axis, 1)
