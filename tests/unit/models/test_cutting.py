"""Ends of a network against the whole of it, bit for bit."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from qviz.models.cutting import Cuts
from qviz.models.graph import loaded, with_outputs
from qviz.models.limits import Limits
from qviz.models.session import Session
from tests.unit.models.graphs import node, value, written

X = np.random.default_rng(7).standard_normal((3, 4)).astype(np.float32)


def branching(folder):
    """Constants of both kinds, a truth value, and a body that reads what is outside of it."""
    kept = onnx.helper.make_graph([node("Add", "a w", "p")], "t", [], [value("p", None)])
    other = onnx.helper.make_graph([node("Neg", "x", "q")], "e", [], [value("q", None)])
    stored = onnx.numpy_helper.from_array(np.float32([2, 3, 5, 7]), "")
    nodes = [
        node("Mul", "x w", "a"),
        node("ReduceMax", "a", "top", keepdims=0),
        onnx.helper.make_node("Constant", [], ["k"], value=stored),
        node("Greater", "top zero", "truth"),
        node("If", "truth", "b", then_branch=kept, else_branch=other),
        node("Mul", "b k", "c"),
        node("Sub", "c x", "y"),
    ]
    stored = {"w": np.float32([1, -2, 3, -4]), "zero": np.float32(0)}
    return written(folder / "m.onnx", nodes, [value("x", ["n", 4])], ["y"], **stored)


def cut(path):
    model = loaded(path, "m")
    names = [n for one in model.graph.node for n in one.output]
    session = Session(with_outputs(model, names), Limits())
    values = dict(zip(names, session.run(names, {"x": X}), strict=True)) | {"x": X}
    return Cuts(model, session.types, "y"), values


@pytest.mark.parametrize(
    ("name", "live"),
    [
        ("x", "x"),
        ("w", "x"),
        ("a", "x"),
        ("top", "a x"),
        ("truth", "a top x"),
        ("b", "a truth x"),
        ("k", "b x"),
        ("c", "b x"),
        ("y", "c x"),
    ],
)
def test_each_end_gives_the_same_bits(tmp_path, name, live):
    cuts, values = cut(branching(tmp_path))
    at = cuts.place([name])
    assert cuts.live(at) == live.split()
    session = Session(cuts.end(at).SerializeToString(), Limits())
    (found,) = session.run(["y"], {one: values[one] for one in live.split()})
    assert found.tobytes() == values["y"].tobytes()


def test_the_first_of_several_decides(tmp_path):
    cuts, _ = cut(branching(tmp_path))
    assert cuts.place(["c", "truth"]) == cuts.place(["truth"]) < cuts.place(["c"])


def test_nothing_is_cut_where_a_value_cannot_be_fed_or_the_order_is_not_kept(tmp_path):
    nodes = [
        node("Cast", "x", "s", to=TensorProto.BFLOAT16),
        node("Neg", "x", "a"),
        node("Cast", "s", "b", to=TensorProto.FLOAT),
        node("Add", "a b", "y"),
    ]
    path = written(tmp_path / "m.onnx", nodes, [value("x", [3, 4])], ["y"])
    model = loaded(path, "m")
    kinds = {"s": "tensor(bfloat16)", "a": "tensor(float)", "b": "tensor(float)"}
    cuts = Cuts(model, kinds, "y")
    assert cuts.place(["a"]) == 0 and cuts.place(["b"]) == 0 and cuts.place(["y"]) == 3
    shuffled = [model.graph.node[at] for at in (3, 0, 1, 2)]
    del model.graph.node[:]
    model.graph.node.extend(shuffled)
    assert Cuts(model, kinds, "y").place(["b"]) == 0
