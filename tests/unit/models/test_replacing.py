"""One tensor replaced: what it is called, its type, and that nothing else changes."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from qviz.errors import QvizError
from qviz.models.feeds import Feeds, batches
from qviz.models.limits import Limits
from qviz.models.model import read_model
from qviz.models.replacing import One
from qviz.models.session import Session
from tests.unit.models.graphs import node, value, written


def one(path, name, feeds=None):
    model = read_model(path)
    return One(model, batches(model, feeds or Feeds(batches=2)), name, Limits())


def plain(path, names, inputs):
    """All batches of values in a plain run, one after the other."""
    model = onnx.load(path)
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    session = Session(model.SerializeToString(), Limits())
    runs = [session.run(names, batch) for batch in inputs]
    return {n: np.concatenate([np.ravel(r[at]) for r in runs]) for at, n in enumerate(names)}


def fed(path):
    model = read_model(path)
    return list(batches(model, Feeds(batches=2)))


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """Layers whose float16 nodes the runtime computes in float32, without rounding between."""
    rng, nodes, stored, last = np.random.default_rng(4), [], {}, "x"
    for at in range(3):
        stored[f"w{at}"] = (rng.standard_normal((24, 24)) / 4).astype(np.float16)
        stored[f"b{at}"] = rng.standard_normal(24).astype(np.float16)
        nodes += [node("MatMul", f"{last} w{at}", f"m{at}"), node("Add", f"m{at} b{at}", f"a{at}")]
        last = f"a{at}"
    inputs = [value("x", [16, 24], TensorProto.FLOAT16)]
    return written(tmp_path_factory.mktemp("half") / "m.onnx", nodes, inputs, [last], **stored)


@pytest.mark.parametrize("name", ["m0", "a0", "m1", "a1", "m2", "a2"])
def test_a_float16_value_replaced_by_itself_changes_no_bit(half, name):
    content = plain(half, [name], fed(half))[name]
    made = one(half, name)
    assert made.outcome(content).lossless
    content[0] += 1
    assert not made.outcome(content).lossless


def drawing(folder):
    """A function that draws, and a Dropout that trains."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    body = [node("RandomNormalLike", "a", "r"), node("Add", "a r", "b")]
    noise = helper.make_function("own", "Noise", ["a"], ["b"], body, opsets)
    nodes = [
        node("Noise", "x", "p", domain="own"),
        node("Dropout", "p ratio on", "d"),
        node("Neg", "d", "y"),
    ]
    stored = {"ratio": np.float32(0.5), "on": np.array(True)}
    kept = [numpy_helper.from_array(np.asarray(v), name) for name, v in stored.items()]
    graph = helper.make_graph(nodes, "g", [value("x", [8, 5])], [value("y", None)], kept)
    made = helper.make_model(graph, opset_imports=opsets, functions=[noise], ir_version=8)
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def test_what_draws_at_random_is_compared_to_the_same_draws(tmp_path):
    path = drawing(tmp_path)
    x = np.concatenate([batch["x"] for batch in fed(path)])
    made = one(path, "x")
    assert made.outcome(x).lossless
    # the noise stays, the mask too: half of the elements move by 2 / 1000 of the input
    assert 40 < made.outcome(x * 1.001).sqnr < 80


@pytest.mark.parametrize("ending", ["given", "then", "same", "stored", "then 2"])
def test_names_like_those_of_a_switch_may_be_the_models(tmp_path, ending):
    name, others = f"v {ending}", ("v use", "v given 1")
    nodes = [
        helper.make_node("Add", ["x", others[1]], ["v"]),
        helper.make_node("Neg", ["v"], [name]),
        helper.make_node("Mul", [name, others[0]], ["y"]),
    ]
    inputs = [value(one, [3]) for one in ("x", *others)]
    path = written(tmp_path / "m.onnx", nodes, inputs, ["y"])
    content = plain(path, ["v"], fed(path))["v"]
    made = one(path, "v")
    assert made.outcome(content).lossless
    assert made.outcome(content * 2).sqnr == pytest.approx(0, abs=1e-9)  # the error is the signal


@pytest.mark.parametrize(
    ("kind", "more", "read"),
    [
        ("value_float", 2.5, np.float32(2.5)),
        ("value_floats", [1.0, 2.0, 4.0], np.float32([1, 2, 4])),
        ("value_int", 3, np.int64(3)),
        ("value_ints", [1, 2, 3], np.int64([1, 2, 3])),
    ],
)
def test_constants_of_every_spelling_are_replaced(tmp_path, kind, more, read):
    nodes = [
        helper.make_node("Constant", [], ["k"], **{kind: more}),
        node("Cast", "k", "real", to=TensorProto.FLOAT),
        node("Mul", "x real", "y"),
    ]
    made = one(written(tmp_path / "m.onnx", nodes, [value("x", [4, 3])], ["y"]), "k")
    assert made.outcome(read).lossless
    assert made.outcome(read * 2).sqnr == pytest.approx(0, abs=1e-5)  # the error is the signal


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (TensorProto.BFLOAT16, [1.0, -2.5, 0.125]),
        (TensorProto.FLOAT8E4M3FN, [1.0, -2.5, 0.125]),
        (TensorProto.FLOAT8E5M2, [1.0, -2.5, 0.125]),
        (TensorProto.INT4, [1, -7, 3]),
        (TensorProto.UINT4, [1, 15, 3]),
    ],
)
def test_types_that_are_not_fed_are_cast_on_the_way(tmp_path, kind, content):
    stored = helper.make_tensor("w", kind, [3], content)
    nodes = [node("Cast", "w", "real", to=TensorProto.FLOAT), node("Mul", "x real", "y")]
    graph = helper.make_graph(nodes, "g", [value("x", [4, 3])], [value("y", None)], [stored])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    path = tmp_path / "m.onnx"
    path.write_bytes(made.SerializeToString())
    w = one(path, "w")
    assert w.outcome(np.array(content)).lossless
    assert w.outcome(np.zeros(3)).sqnr == pytest.approx(0, abs=1e-9)


def decoded(folder, *more):
    nodes = [node("DequantizeLinear", "q s", "w"), node("MatMul", "x w", "y"), *more]
    codes = np.arange(-9, 9, dtype=np.int8).reshape(6, 3)
    stored = {"q": codes, "s": np.float32(0.1)}
    return written(folder / "m.onnx", nodes, [value("x", [4, 6])], ["y"], **stored), stored


def test_reals_of_codes_are_what_decodes_them(tmp_path):
    """The model has them in each batch; their content is given once."""
    path, stored = decoded(tmp_path)
    reals = stored["q"].astype(np.float32) * stored["s"]
    made = one(path, "q (dequantized)")
    assert made.outcome(reals).lossless
    assert made.outcome(reals / 2).sqnr == pytest.approx(20 * np.log10(2), abs=1e-4)


@pytest.mark.parametrize(
    ("more", "others"),
    [
        (node("DequantizeLinear", "q s", "u"), "Name q, w, u."),
        (node("Cast", "q", "u", to=TensorProto.FLOAT), "Name q, w."),
    ],
)
def test_reals_that_are_no_one_value_say_what_to_name(tmp_path, more, others):
    path, _ = decoded(tmp_path, more)
    with pytest.raises(QvizError, match=r"q \(dequantized\) is no one value") as error:
        one(path, "q (dequantized)")
    assert str(error.value).endswith(others)


def test_a_single_value_and_what_is_not_finite_are_replaced_too(tmp_path):
    nodes = [node("Log", "x", "l"), node("ReduceSum", "x", "y", keepdims=0)]
    path = written(tmp_path / "m.onnx", nodes, [value("x", [4, 3])], ["l", "y"])
    x = np.concatenate([batch["x"] for batch in fed(path)])
    assert (x < 0).any()
    made = one(path, "x")  # logarithms of negatives are NaN in both
    assert made.outcome(x).lossless and made.model.samples == 8
    assert made.outcome(np.where(x > 0, 2 * x, x)).sqnr is not None
    alone = written(tmp_path / "s.onnx", nodes[1:], [value("x", [4, 3])], ["y"])
    made = one(alone, "y")
    assert made.model.samples == 2
    assert made.outcome(plain(alone, ["y"], fed(alone))["y"]).lossless
