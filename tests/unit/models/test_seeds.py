"""Draws of random nodes: the same in each run, others in each call of a function."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from qviz.models import seeds
from qviz.models.graph import with_outputs
from qviz.models.limits import Limits
from qviz.models.seeds import seeded
from qviz.models.session import Session
from tests.unit.models.graphs import node, value

X = np.random.default_rng(2).standard_normal((8, 5)).astype(np.float32)
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]


def function(name, *nodes):
    return helper.make_function("own", name, ["a"], ["b"], list(nodes), OPSETS)


def model(nodes, *functions, **stored):
    constants = [onnx.numpy_helper.from_array(np.asarray(x), name) for name, x in stored.items()]
    graph = helper.make_graph(nodes, "g", [value("x", [8, 5])], [value("y", None)], constants)
    return helper.make_model(graph, opset_imports=OPSETS, functions=functions, ir_version=8)


def noisy():
    """Each call adds noise."""
    body = function("Noise", node("RandomNormalLike", "a", "r"), node("Add", "a r", "b"))
    calls = [node("Noise", "x", "p", domain="own"), node("Noise", "x", "y", domain="own")]
    return model(calls, body)


def ran(made, *names):
    session = Session(with_outputs(made, names), Limits())
    return [np.asarray(one).tobytes() for one in session.run(names, {"x": X})]


def test_functions_draw_the_same_in_each_run_and_others_in_each_call():
    first, second = noisy(), noisy()
    assert seeded(first) and seeded(second)
    p, y = ran(first, "p", "y")
    assert [p, y] == ran(second, "p", "y") and ran(second, "y") == [y]
    assert p != y


def test_too_many_calls_stay_calls_and_draw_the_same(monkeypatch):
    monkeypatch.setattr(seeds, "MOST", 3)
    made = noisy()
    assert seeded(made) and len(made.functions) == 1
    p, y = ran(made, "p", "y")
    assert p == y and ran(made, "p") == [p]


def test_a_function_that_calls_itself_is_left_to_the_runtime():
    body = function(
        "Again",
        node("RandomNormalLike", "a", "r"),
        node("Again", "r", "b", domain="own"),
    )
    made = model([node("Again", "x", "y", domain="own")], body)
    assert seeded(made) and len(made.functions) == 1


def dropout(inputs, **stored):
    return model([node("Dropout", inputs, "y mask")], **stored)


def test_dropout_that_trains_draws_the_same_in_each_run():
    stored = {"ratio": np.float32(0.5), "on": np.array(True)}
    first, second = dropout("x ratio on", **stored), dropout("x ratio on", **stored)
    assert seeded(first) and seeded(second)
    (y,) = ran(first, "y")
    assert [y] == ran(second, "y") and y != X.tobytes()


@pytest.mark.parametrize("inputs", ["x", "x ratio"])
def test_dropout_that_does_not_train_draws_nothing(inputs):
    made = dropout(inputs, ratio=np.float32(0.5))
    assert not seeded(made) and not made.graph.node[0].attribute


def test_what_others_call_by_the_name_of_a_drawing_node_is_left_alone():
    body = function("RandomNormalLike", node("Neg", "a", "b"))
    made = model([node("RandomNormalLike", "x", "y", domain="own")], body)
    assert not seeded(made) and ran(made, "y") == [(-X).tobytes()]


def test_a_seed_that_is_there_stays():
    made = model([node("RandomNormalLike", "x", "y", seed=3.0, dtype=TensorProto.FLOAT)])
    assert seeded(made)
    assert [a.f for a in made.graph.node[0].attribute if a.name == "seed"] == [3.0]
