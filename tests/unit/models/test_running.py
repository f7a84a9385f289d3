"""Runs of a model in this process, against what ONNX Runtime gives as it comes."""

from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto

from qviz.errors import QvizError, UnknownName
from qviz.models import running
from qviz.models.feeds import Feeds, batches
from qviz.models.limits import Limits
from qviz.models.model import read_model
from qviz.models.running import Run, weights
from qviz.sources.base import open_file
from qviz.sources.captured import writing
from qviz.sources.captured.source import Captured
from qviz.sources.captured.writing import write
from tests.unit.models.graphs import DIGITS, IMAGES, node, value, written
from tests.unit.samples import load


def captured(path, folder, feeds, **how):
    """The capture of a model, opened again."""
    model = read_model(path)
    kept = folder / "kept"
    kept.mkdir()
    run = Run(model, Limits(), kept, **how)
    told = []
    run.run(batches(model, feeds), lambda done, count: told.append((done, count)))
    assert told[-1][0] == told[-1][1] == len(told) - 1
    stored, skipped = weights(model)
    write(folder / "c.npz", "m", "", [*run.entries(), *stored], run.skipped | skipped)
    return open_file(folder / "c.npz")


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    return captured(DIGITS, tmp_path_factory.mktemp("digits"), Feeds(IMAGES))


def test_activations_are_those_that_were_recorded(digits):
    for name, recorded in load("digits_acts.npz").items():
        if name != "softmax":
            np.testing.assert_allclose(digits[name][:16], recorded, rtol=1e-4, atol=1e-5)


def test_the_output_is_that_of_an_unchanged_model(digits):
    session = onnxruntime.InferenceSession(DIGITS, providers=["CPUExecutionProvider"])
    images = np.load(IMAGES)["images"]
    expected = session.run(["logits"], {"images": images})[0]
    np.testing.assert_allclose(digits["logits"], expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(digits["images"], images)


def test_weights_come_with_their_operation(digits):
    for name, stored in load("digits_cnn.onnx").items():
        np.testing.assert_array_equal(digits[name], stored)
    assert digits.ops["depthwise.weight"] == "Conv" and digits.ops["images"] == "Input"
    assert digits.info("fc1.weight").role == "weight" and digits.info("relu").splits == (32,) * 4


def odd(folder):
    """A model with one output of each kind."""
    body = onnx.helper.make_graph([node("Neg", "x", "p")], "b", [], [value("p", None)])
    nodes = [
        node("If", "c", "chosen", then_branch=body, else_branch=body),
        node("Cast", "x", "half", to=TensorProto.FLOAT16),
        node("Cast", "x", "brain", to=TensorProto.BFLOAT16),
        node("Cast", "x", "words", to=TensorProto.STRING),
        node("Greater", "x zero", "truth"),
        node("Slice", "x at at", "nothing"),
        node("Log", "x", "log"),
        node("SplitToSequence", "x", "list", axis=0),
        node("ReduceMax", "x", "single", keepdims=0),
        node("Shape", "x", "shape"),
    ]
    constants = {"c": np.array(True), "zero": np.float32(0), "at": np.array([0])}
    return written(folder / "odd.onnx", nodes, [value("x", ["n", 3])], ["log"], **constants)


def test_odd_outputs_are_captured_or_named(tmp_path):
    found = captured(odd(tmp_path), tmp_path, Feeds(axes={"n": 4}, batches=2))
    assert set(found.skipped) == {"brain", "words", "list", "bodies of control flow"}
    assert (
        "bfloat16" in found.skipped["brain"]
        and "2 nodes" in found.skipped["bodies of control flow"]
    )
    kinds = {n: (found.info(n).dtype, found.info(n).shape) for n in found.names}
    assert kinds["chosen"] == ("float32", (8, 3)) and kinds["half"] == ("float16", (8, 3))
    assert kinds["truth"] == ("bool", (8, 3)) and kinds["nothing"] == ("float32", (0, 3))
    assert kinds["single"] == ("float32", (2,)) and kinds["shape"] == ("int64", (4,))
    below = found["x"] < 0
    assert below.any() and np.isnan(found["log"][below]).all()
    from qviz.stats.minmax import MinMax

    seen = found.statistics("log")
    assert seen is not None and seen[MinMax()].nan[0] == below.sum()


def test_no_batch_is_begun_for_which_there_is_no_time(tmp_path, monkeypatch):
    left = iter([50.0, 12.5, 11.9])  # asked from the second batch on; a tenth of 120 is spared
    monkeypatch.setattr(running, "seconds_left", lambda: next(left))
    model = read_model(DIGITS)
    run = Run(model, Limits(), tmp_path)
    run.run(batches(model, Feeds(IMAGES, batch=16)), lambda *_: None, partly=True)
    assert run.skipped["batches"] == "The time was over: 3 of 8 batches were run."
    assert run.tallies["relu"].splits == (16,) * 3


def test_a_batch_that_is_being_taken_in_is_taken_in_whole(tmp_path, monkeypatch):
    model, real, closed = read_model(DIGITS), Run._take, []

    def take(run, name, array):
        real(run, name, array)
        if name == "relu" and len(run.tallies["relu"].shapes) == 2:
            closed.append(pool.submit(run.close))  # from another thread, in the second batch
            wait(closed, timeout=0.1)

    def told(done, _):
        if done == 2:
            assert closed[0].result(timeout=60) == 2
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "_take", take)
    run = Run(model, Limits(), tmp_path)
    with ThreadPoolExecutor() as pool, pytest.raises(KeyboardInterrupt):
        run.run(batches(model, Feeds(IMAGES, batch=16)), told)
    assert {tally.splits for tally in run.tallies.values()} == {(16, 16)}
    assert run.skipped["batches"] == "The time was over: 2 of 8 batches were run."


def test_some_values_alone(tmp_path):
    run = Run(read_model(DIGITS), Limits(), tmp_path, only=["images", "relu"])
    run.run(batches(read_model(DIGITS), Feeds(IMAGES, batches=1)), lambda *_: None)
    assert list(run.tallies) == ["images", "relu"]
    with pytest.raises(UnknownName, match="nosuch"):
        Run(read_model(DIGITS), Limits(), tmp_path, only=["nosuch"])


def test_values_are_kept_while_they_are_few(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "FEW", 100_000)
    found = captured(DIGITS, tmp_path, Feeds(IMAGES))
    assert not found.has_values("relu") and found.has_values("fc1.weight")
    assert list((tmp_path / "kept").iterdir()) == []
    with pytest.raises(QvizError, match="were not kept"):
        found["relu"]


def test_values_beyond_the_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "VALUES", 100_000)
    with pytest.raises(QvizError, match="not kept"):
        captured(DIGITS, tmp_path, Feeds(IMAGES), values=True)


def test_values_of_more_tensors_than_an_archive_holds(tmp_path, monkeypatch):
    model = read_model(DIGITS)
    monkeypatch.setattr(writing, "KEPT", 10)
    with pytest.raises(QvizError, match=r"tensors are not kept.*10 at most.*--only NAME"):
        Run(model, Limits(), tmp_path, values=True)
    Run(model, Limits(), tmp_path, only=["relu"], values=True)
    run = Run(model, Limits(), tmp_path)
    run.run(batches(model, Feeds(IMAGES, batches=1)), lambda *_: None)
    stored, _ = weights(model)
    write(tmp_path / "c.npz", "m", "", [*run.entries(), *stored], run.skipped)
    found = open_file(tmp_path / "c.npz")
    assert isinstance(found, Captured)
    kept = [name for name in found.names if found.has_values(name)]
    assert kept == [entry.info.name for entry in stored][:10]
    assert [path.name for path in tmp_path.iterdir()] == ["c.npz"]


def test_a_model_that_fails_says_so_in_one_sentence(tmp_path):
    nodes = [node("Gather", "w i", "y")]
    inputs = [value("i", [1], TensorProto.INT64)]
    table = np.ones((3, 2), np.float32)
    path = written(tmp_path / "m.onnx", nodes, inputs, ["y"], w=table)
    np.savez(tmp_path / "in.npz", i=np.array([9]))
    with pytest.raises(QvizError, match="fails on its input") as failure:
        captured(path, tmp_path, Feeds(tmp_path / "in.npz"))
    assert "out of" in str(failure.value) and "/" not in str(failure.value)
