"""One tensor at a time: bits, and the accuracies that sample_data/README.md states."""

import json
from itertools import pairwise

import numpy as np
import onnx
import pytest

from qviz.models import trials
from qviz.models.alone import Alone, Outcome, Sensitivity, ranked
from qviz.models.amount import PATHS, seconds_of, steps_of
from qviz.models.feeds import Feeds, batches
from qviz.models.graph import Switches, loaded, replaceable, with_outputs
from qviz.models.limits import Limits, out_of_time
from qviz.models.model import read_model
from qviz.models.scheme import Scheme, Schemes
from qviz.models.session import Session
from qviz.models.trials import Trials
from tests.unit.models.graphs import DIGITS, IMAGES, TWIN, node, value, written
from tests.unit.samples import load, sqnr, symmetric

# float32 arithmetic, as the README's: 0.5 lies halfway between two of 15 levels of an image
WORDS = "absmax {} signed symmetric {} mode=torch.torchao_no_clipping"


def schemes(bits, activations, weights):
    own = ("per_tensor", "per_channel")
    return Schemes(
        Scheme.parse(WORDS.format(8, own[weights])),
        Scheme.parse(WORDS.format(bits, own[activations])),
    )


def found(path, how, feeds=None):
    model = read_model(path)
    made = Trials(model, batches(model, feeds or Feeds(IMAGES)), how, Limits())
    return made.sensitivity(lambda *_: None)


def before_logits(cost):
    """Accuracy with all quantized that goes into a layer."""
    last, logits = cost.rows[-2:]
    assert (last.name, logits.name) == ("fc2.weight", "logits")
    return last.upto.accuracy


@pytest.fixture(scope="module")
def twin():
    return found(TWIN, schemes(4, False, True))


@pytest.mark.parametrize(
    ("path", "how", "accuracy"),
    [
        (DIGITS, (8, False, False), 0.9844),
        (TWIN, (8, False, False), 0.9531),
        (TWIN, (8, True, True), 0.9766),
        (DIGITS, (4, False, True), 0.9688),
    ],
)
def test_all_together_read_as_many_digits_as_stated(path, how, accuracy):
    assert before_logits(found(path, schemes(*how))) == pytest.approx(accuracy, abs=1e-4)


def test_the_twin_falls_at_one_activation(twin):
    assert (twin.samples, twin.output) == (128, "logits")
    assert twin.accuracy == pytest.approx(0.9922, abs=1e-4)
    assert before_logits(twin) == pytest.approx(0.1484, abs=1e-4)
    worst, second = ranked(twin.rows)[:2]
    assert worst.name == "relu" and worst.alone.accuracy < 0.2 < 0.95 < second.alone.accuracy
    upto = {row.name: row.upto.accuracy for row in twin.rows}
    assert upto["conv1.weight"] > 0.95 and upto["relu"] < 0.2
    but = {row.name: row.but.accuracy for row in twin.rows}
    assert but.pop("relu") > 0.95 and max(but.values()) < 0.25


def test_a_weight_alone_is_the_weight_replaced(twin):
    weight = load("digits_cnn_rescaled.onnx")["fc2.weight"]
    changed = onnx.load(TWIN)
    (stored,) = (i for i in changed.graph.initializer if i.name == "fc2.weight")
    stored.CopyFrom(
        onnx.numpy_helper.from_array(symmetric(weight, 8, 0).astype(np.float32), "fc2.weight")
    )
    images = np.load(IMAGES)["images"]
    runs = [
        Session(with_outputs(m, ["logits"]), Limits()).run(["logits"], {"images": images})[0]
        for m in (onnx.load(TWIN), changed)
    ]
    exact, off = (run.astype(np.float64) for run in runs)
    (row,) = (row for row in twin.rows if row.name == "fc2.weight")
    # scales of its own arithmetic differ in the last bit
    assert row.alone.sqnr == pytest.approx(sqnr(exact, off), abs=0.3)


def test_replaced_by_itself_nothing_changes_a_bit():
    model = loaded(TWIN, "twin")
    names = [n.output[0] for n in model.graph.node if n.op_type != "Constant"]
    switches = Switches.of(model, dict.fromkeys(names, 1))
    constants = [i.name for i in model.graph.initializer] + ["zero", "six"]
    session = Session(replaceable(model, constants, switches), Limits())
    images = {"images": np.load(IMAGES)["images"]}
    plain = Session(with_outputs(model, names), Limits()).run(names, images)
    off = {f"{n} use": np.array(False) for n in names} | {
        f"{n} given": np.zeros((), np.float32) for n in names
    }
    values = dict(zip(names, plain, strict=True))
    unused = session.run(names, images | off)
    on = {f"{n} use": np.array(True) for n in names} | {f"{n} given": values[n] for n in names}
    for fed in (off, on, off | load("digits_cnn_rescaled.onnx")):
        for a, b in zip(session.run(names, images | fed), plain, strict=True):
            assert a.tobytes() == b.tobytes()
    assert unused[-1].tobytes() == session.run([switches.then("logits")], images | off)[0].tobytes()


def test_a_constant_in_a_node_is_replaced_too(tmp_path):
    made = onnx.numpy_helper.from_array(np.diag(np.float32([1.0, 0.3, 0.1])), "")
    nodes = [
        onnx.helper.make_node("Constant", [], ["w"], value=made),
        node("MatMul", "x w", "y"),
    ]
    path = written(tmp_path / "m.onnx", nodes, [value("x", [3, 3])], ["y"])
    np.savez(tmp_path / "in.npz", x=np.eye(3, dtype=np.float32))
    how = Schemes(Scheme.parse("absmax 2 signed symmetric narrow_range"), Scheme.parse("minmax"))
    rows = {r.name: r for r in found(path, how, Feeds(tmp_path / "in.npz")).rows}
    assert list(rows) == ["x", "w", "y"]
    # 1 stays, 0.3 and 0.1 become 0
    assert rows["w"].alone.sqnr == pytest.approx(10 * np.log10(1.1 / 0.1), abs=1e-4)
    assert rows["w"].alone.accuracy is None
    assert rows["x"].alone.lossless and rows["x"].alone.sqnr is None


def negations(folder, count):
    """A chain of negations beside its input: the output is the input, once or twice."""
    names = ["x", *(f"n{at}" for at in range(count))]
    nodes = [node("Neg", a, b) for a, b in pairwise(names)] + [node("Add", f"x {names[-1]}", "y")]
    path = written(folder / "m.onnx", nodes, [value("x", [5, 40])], ["y"])
    x = np.random.default_rng(3).standard_normal((5, 40)).astype(np.float32)
    np.savez(folder / "in.npz", x=x)
    return path, x


def test_of_a_long_network_each_tensor_is_tried_where_it_stands(tmp_path):
    """Cut at eight places, with the input alive at all of them."""
    path, x = negations(tmp_path, 150)
    model = read_model(path)
    how = Schemes.usual().activations, Scheme.parse("absmax 4 signed symmetric narrow_range")
    feeds = Feeds(tmp_path / "in.npz", batch=5)
    made, took = Trials(model, batches(model, feeds), Schemes(*how), Limits()), []
    rows = made.sensitivity(lambda *_: None, took.append).rows
    assert [r.name for r in rows] == ["x", *(f"n{at}" for at in range(150)), "y"]
    exact = x.astype(np.float64)
    error = symmetric(exact, 4) - exact
    alone = 10 * np.log10(np.sum(4 * exact**2) / np.sum(error**2))  # the other half is exact
    for row in rows[1:-1]:
        assert row.alone.sqnr == pytest.approx(alone, abs=1e-3)
    assert rows[0].alone.sqnr == pytest.approx(alone - 20 * np.log10(2), abs=1e-3)
    # every fourth comes first: what is found early lies all over the network
    early = [int(row.name[1:]) for row in took[1:38]]
    assert len(rows) > PATHS and sorted(early) == list(range(3, 150, 4))
    assert max(early[:20]) > 75  # of these the halves come in turn


def test_a_model_that_draws_at_random_is_compared_to_itself(tmp_path):
    """-1, 0 and 1 come back exactly; the noise of another run would not."""
    nodes = [node("RandomNormalLike", "x", "r"), node("Mul", "x r", "m"), node("Add", "m x", "y")]
    path = written(tmp_path / "m.onnx", nodes, [value("x", ["n", 17])], ["y"])
    np.savez(tmp_path / "in.npz", x=np.float32([[-1, 0, 1] * 5 + [0, 0]]))
    how = Schemes(Scheme.parse("absmax"), Scheme.parse("absmax 2 signed symmetric narrow_range"))
    rows = {r.name: r for r in found(path, how, Feeds(tmp_path / "in.npz")).rows}
    assert rows["x"].alone.lossless and not rows["r"].alone.lossless


def test_of_float16_each_tensor_by_itself_changes_no_bit(tmp_path, monkeypatch):
    """The runtime computes in float32 and rounds only what goes out of a part of the model."""
    monkeypatch.setattr(trials, "fake_quantized", lambda values, *_: list(values))
    rng = np.random.default_rng(6)
    stored = {f"w{at}": (rng.standard_normal((24, 24)) / 4).astype(np.float16) for at in range(3)}
    nodes = [node("MatMul", f"{a} w{at}", b) for at, (a, b) in enumerate(pairwise("xabc"))]
    inputs = [value("x", [16, 24], onnx.TensorProto.FLOAT16)]
    path = written(tmp_path / "m.onnx", nodes, inputs, ["c"], **stored)
    rows = found(path, Schemes.usual(), Feeds(batches=2)).rows
    assert [r.name for r in rows] == ["x", "w0", "a", "w1", "b", "w2", "c"]
    assert all(o.lossless for r in rows for o in (r.alone, r.upto, r.but))


def test_an_output_of_one_value_is_one_sample(tmp_path):
    nodes = [node("Mul", "x x", "m"), node("ReduceMean", "m", "y", keepdims=0)]
    path = written(tmp_path / "m.onnx", nodes, [value("x", [4, 6])], ["y"])
    made = found(path, Schemes.usual(), Feeds(batches=3))
    assert (made.samples, [r.name for r in made.rows]) == (3, ["x", "m", "y"])
    assert all(10 < r.alone.sqnr < 80 for r in made.rows)


def test_masked_logits_are_judged_where_they_are_finite(tmp_path):
    """The same numbers as without the mask."""
    x = np.random.default_rng(8).standard_normal((8, 5)).astype(np.float32)
    x[:, 2] = 0  # what the mask hides holds no energy
    np.savez(tmp_path / "in.npz", x=x)
    made = []
    for hidden in (0.0, -np.inf):
        mask = np.array([0, 0, hidden, 0, 0], np.float32)
        nodes = [node("Mul", "x x", "m"), node("Add", "m mask", "y")]
        path = written(tmp_path / "m.onnx", nodes, [value("x", ["n", 5])], ["y"], mask=mask)
        made.append(found(path, Schemes.usual(), Feeds(tmp_path / "in.npz")).rows)
    assert [r.name for r in made[1]] == ["x", "m", "y"]
    for plain, masked in zip(*made, strict=True):
        assert masked.alone.sqnr == pytest.approx(plain.alone.sqnr, abs=1e-9)


def classes(folder, labels):
    """The largest logit of each sample as the first output, all of them as the second."""
    x = np.eye(4, dtype=np.float32)[[0, 1, 2, 3, 1]]
    np.savez(folder / "in.npz", x=x, labels=labels)
    nodes = [node("ReduceMax", "x axis", "top", keepdims=1), node("Identity", "x", "y")]
    inputs, axis = [value("x", ["n", 4])], np.array([1])
    path = written(folder / "m.onnx", nodes, inputs, ["top", "y"], axis=axis)
    return found(path, Schemes.usual(), Feeds(folder / "in.npz", batch=3))


def test_labels_are_those_of_the_output_that_has_a_column_for_each(tmp_path):
    made = classes(tmp_path, [0, 1, 2, 0, 0])
    assert (made.output, made.accuracy, made.samples, made.unjudged) == ("y", 0.6, 5, "")
    assert Sensitivity.read(made.json()) == made


def test_labels_of_no_output_say_why(tmp_path):
    made = classes(tmp_path, [0, 1, 2, 0, 4])
    assert (made.output, made.accuracy) == ("top", None)
    assert "A sample of the output is 1: no axis of classes." in made.unjudged


def test_what_cannot_be_quantized_says_why(tmp_path):
    refused = Schemes(Scheme.parse("absmax signed"), Scheme.parse("absmax mode=nvidia.amax"))
    rows = found(DIGITS, refused, Feeds(IMAGES, batches=1)).rows
    notes = {row.name: row.note for row in rows}
    assert "symmetric" in notes["relu"] and notes["fc1.weight"] == ""
    assert all(row.upto is None for row in rows if row.note)


def test_records_survive_json(twin):
    assert Sensitivity.read(twin.json()) == twin


def test_what_was_found_before_the_end_is_kept(twin):
    begun = [Alone.pending(row.name, row.role, row.op) for row in twin.rows]
    said = [Sensitivity(tuple(begun), 0.9, 128, "logits").json()]
    said += [r for r in twin.json()["rows"][4:6]]
    lines = [json.dumps(one) + "\n" for one in said]
    found = Sensitivity.gathered([*lines, lines[-1][:40]])  # the last one is torn
    assert found.tried == 2 and found.rows[4:6] == twin.rows[4:6]
    assert found.rows[0].note == "not reached" and not found.why
    found = found.ended(out_of_time(7.0, 2, 11), 7.0)
    assert found.why == "The model was stopped after 7 seconds with 2 of 11 steps done."
    notes = [row.note for row in found.rows]
    assert notes[:6] == ["not reached in 7 s"] * 4 + ["", ""]
    assert {row.name for row in ranked(found.rows)[:2]} == {twin.rows[4].name, twin.rows[5].name}
    assert Sensitivity.gathered([]) is None
    assert found.tried == 2 and Sensitivity.read(found.json()) == found


def test_rank_goes_by_accuracy_then_by_error():
    rows = [
        Alone("a", "weight", "", Outcome(9.0, 0.9)),
        Alone("b", "weight", "", Outcome(30.0, 0.5)),
        Alone("c", "weight", "", Outcome(5.0, 0.9)),
        Alone("d", "weight", "", Outcome(None, 0.9, True)),
        Alone("e", "weight", "", Outcome(), note="refused"),
    ]
    assert [row.name for row in ranked(rows)] == ["b", "c", "a", "d", "e"]


def test_how_much_work_there_is():
    """11 tensors: each alone, up to it, all but it; 100 are tried alone only, in 4 parts."""
    assert [steps_of(n) for n in (11, 16, 17, 64, 65)] == [33, 48, 34, 128, 65]
    # 100 x (4 + 1) / 8 = 62.5 runs of each alone, 4 x 6 to begin each part in two rounds
    assert seconds_of(100, 0.5) == pytest.approx(2 + 0.5 * (62.5 + 24))
    # one part: 10 runs alone, 6 to begin, 10 up to each, 10 x 5 but each
    assert seconds_of(10, 1.0) == pytest.approx(2 + 76)
