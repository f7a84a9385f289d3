"""A tensor replaced in a running model, against the rest of the network run by itself."""

import numpy as np
import onnx
import pytest

from qviz.errors import QvizError, UnknownName
from qviz.models.asking import Asking
from qviz.models.feeds import Feeds, batches
from qviz.models.limits import Limits
from qviz.models.model import read_model
from qviz.models.replacing import One
from qviz.models.session import Session
from tests.unit.models.graphs import IMAGES, TWIN, node, value, written
from tests.unit.samples import load, sqnr, symmetric

LABELS = load("digits_calib.npz")["labels"]


def ran(model, outputs, **inputs):
    """Outputs of a model that is given as a message."""
    return Session(model.SerializeToString(), Limits()).run(outputs, inputs)


def begun():
    """The images of the twin and what its first ReLU gives."""
    images = load("digits_calib.npz")["images"]
    model = onnx.load(TWIN)
    del model.graph.output[:]
    model.graph.output.append(onnx.ValueInfoProto(name="relu"))
    return images, ran(model, ["relu"], images=images)[0]


def rest(relu):
    """Logits of the twin from its first ReLU on: a network of its own."""
    model = onnx.load(TWIN)
    graph = model.graph
    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in graph.node]
    at = next(i for i, n in enumerate(nodes) if "relu" in n.output)
    del graph.node[:], graph.input[:]
    graph.node.extend(nodes[at + 1 :])
    graph.input.append(value("relu", ["n", 8, 8, 8]))
    return ran(model, ["logits"], relu=relu)[0]


@pytest.fixture(scope="module")
def asking(tmp_path_factory):
    with Asking(TWIN, Feeds(IMAGES), "relu", tmp_path_factory.mktemp("asking")) as model:
        yield model


def test_what_reaches_the_output_is_the_rest_of_the_network(asking):
    _, relu = begun()
    exact = rest(relu)
    assert (asking.output, asking.samples) == ("logits", 128)
    assert asking.accuracy == np.mean(exact.argmax(1) == LABELS)
    other = symmetric(relu.astype(np.float64), 4).astype(np.float32)
    found, off = asking.outcome(other), rest(other)
    assert found.sqnr == pytest.approx(sqnr(exact.astype(float), off.astype(float)), abs=1e-3)
    assert found.accuracy == np.mean(off.argmax(1) == LABELS) < 0.2


def test_its_own_content_changes_no_bit_however_it_is_shaped(asking):
    _, relu = begun()
    assert asking.outcome(relu).lossless
    again = asking.outcome(relu.reshape(-1))
    assert again.lossless and again.accuracy == asking.accuracy


@pytest.mark.parametrize("name", ["images", "fc2.weight", "fc2.bias", "logits"])
def test_inputs_constants_and_outputs_are_replaced_too(name, tmp_path):
    content = {**load("digits_calib.npz"), **load("digits_cnn_rescaled.onnx")}
    content["logits"] = rest(begun()[1])
    with Asking(TWIN, Feeds(IMAGES), name, tmp_path) as model:
        assert model.outcome(content[name].reshape(-1)).lossless
        half = model.outcome(content[name] / 2)
    assert half.sqnr is not None and half.sqnr < 60
    if name == "logits":
        assert half.sqnr == pytest.approx(20 * np.log10(2), abs=1e-4)


def test_the_child_is_gone_afterwards_and_leaves_no_content(tmp_path):
    with Asking(TWIN, Feeds(IMAGES), "relu6", tmp_path) as model:
        model.outcome(np.zeros((128, 8, 8, 8), np.float32))
        assert (tmp_path / "content.npy").is_file()
    assert not (tmp_path / "content.npy").exists()
    assert model._child.poll() is not None


def test_content_of_another_size_is_refused_and_says_why(tmp_path):
    with Asking(TWIN, Feeds(IMAGES), "relu", tmp_path) as model:
        with pytest.raises(QvizError, match=r"relu has 65,536 elements, not 12\."):
            model.outcome(np.zeros(12, np.float32))
        assert "65,536" in model.failed
        with pytest.raises(QvizError, match=r"65,536"):  # it answers no more
            model.outcome(np.zeros((128, 8, 8, 8), np.float32))


def test_names_and_inputs_that_are_refused(tmp_path):
    with pytest.raises(QvizError, match=r"Nothing in digits_cnn_rescaled.onnx is called 'nowhere'"):
        Asking(TWIN, Feeds(IMAGES), "nowhere", tmp_path)
    with pytest.raises(QvizError, match=r"open"):
        Asking(TWIN, Feeds(), "relu", tmp_path)


def test_a_model_beyond_its_time_ends_in_a_sentence(tmp_path):
    body = onnx.helper.make_graph(
        [node("Identity", "on", "on2"), node("Identity", "x", "x2")], "b",
        [value("i", [], 7), value("on", [], 9), value("x", [1])],
        [value("on2", [], 9), value("x2", [1])],
    )  # fmt: skip
    stored = {"m": np.array(10**12), "c": np.array(True), "x0": np.ones(1, np.float32)}
    loop = node("Loop", "m c x0", "y", body=body)
    path = written(tmp_path / "loop.onnx", [loop], (), ["y"], **stored)
    with pytest.raises(QvizError, match=r"stopped after 2 seconds"):
        Asking(path, Feeds(), "x0", tmp_path, Limits(seconds=2.0))


def test_whole_numbers_cannot_be_replaced(tmp_path):
    nodes = [node("Shape", "x", "s"), node("Identity", "x", "y")]
    path = written(tmp_path / "m.onnx", nodes, [value("x", [2])], ["y"])
    model = read_model(path)
    with pytest.raises(QvizError, match=r"s holds no real numbers\."):
        One(model, batches(model, Feeds()), "s", Limits())
    with pytest.raises(UnknownName):
        One(model, batches(model, Feeds()), "z", Limits())


def test_batches_keep_their_own_lengths(tmp_path):
    """5 images in batches of 2: the last has one."""
    np.savez(tmp_path / "in.npz", x=np.arange(20, dtype=np.float32).reshape(5, 4))
    path = written(
        tmp_path / "m.onnx", [node("Relu", "x", "r"), node("Neg", "r", "y")],
        [value("x", ["n", 4])], ["y"],
    )  # fmt: skip
    model = read_model(path)
    one = One(model, batches(model, Feeds(tmp_path / "in.npz", batch=2)), "r", Limits())
    content = np.arange(20, dtype=np.float32)
    assert one.outcome(content).lossless
    content[-1] = 9.0  # 19 is meant: the last of the last batch
    signal = float(np.sum(np.arange(20.0) ** 2))
    assert one.outcome(content).sqnr == pytest.approx(10 * np.log10(signal / 100), abs=1e-9)
