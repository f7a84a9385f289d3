"""Models that run in a child: results, progress, cancelling, what a dead child leaves."""

import os
import signal
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from qviz.errors import QvizError, RefusedFile, UnknownName
from qviz.models import alone
from qviz.models.feeds import Feeds, batches
from qviz.models.jobs import batches_in, start
from qviz.models.layers import layer_rows
from qviz.models.limits import Limits
from qviz.models.model import read_model
from qviz.models.samples import SAMPLES, capture_sample, sample_feeds
from qviz.models.scheme import Schemes
from qviz.models.whole import Whole
from tests.unit.models.graphs import DIGITS, IMAGES, node, value, written
from tests.unit.models.test_tally import same
from tests.unit.samples import load


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """The rescaled network, captured twice."""
    name = "digits_cnn_rescaled"
    return [capture_sample(name, tmp_path_factory.mktemp(name)) for _ in range(2)]


def slow(folder):
    """A model that is not done soon: a loop of 10^12 steps."""
    inside = [value("i", [], 7), value("on", [], 9), value("x", [1])]
    given = [value("on2", [], 9), value("x2", [1])]
    body = onnx.helper.make_graph(
        [node("Identity", "on", "on2"), node("Identity", "x", "x2")], "b", inside, given
    )
    constants = {"m": np.array(10**12), "c": np.array(True), "x0": np.ones(1, np.float32)}
    return written(
        folder / "loop.onnx", [node("Loop", "m c x0", "y", body=body)], (), ["y"], **constants
    )


def test_two_runs_give_the_same_bits(twins):
    first, second = twins
    assert first.names == second.names and not first.skipped
    for name in first.names:
        a, b = (s.statistics(name) for s in twins)
        assert a is not None and b is not None
        for recipe in a.states:
            if not isinstance(a[recipe], tuple):
                same(a[recipe], b[recipe])
        np.testing.assert_array_equal(first[name], second[name])


def test_the_sample_is_the_network_on_its_images(twins):
    stored = load("digits_calib.npz")
    right = twins[0]["logits"].argmax(axis=1) == stored["labels"]
    assert right.mean() == pytest.approx(127 / 128)
    assert twins[0].infos["relu"].splits == (32,) * 4
    assert set(SAMPLES) == {"digits_cnn", "digits_cnn_rescaled"}
    with pytest.raises(UnknownName, match="nosuch"):
        sample_feeds("nosuch")


def test_a_replay_gives_the_values_of_the_run(twins):
    source = twins[0]
    assert source.replay is not None
    again = source.replay("hard_swish")
    np.testing.assert_array_equal(again, source["hard_swish"])
    assert isinstance(again, np.ndarray) and not again.flags.writeable


def anonymous():
    """Bytes of memory of this process that no file backs."""
    (line,) = (w for w in Path("/proc/self/status").read_text().splitlines() if "RssAnon" in w)
    return 1024 * int(line.split()[1])


@pytest.mark.slow
def test_a_table_of_many_activations_takes_little_memory_here(tmp_path):
    names = [f"y{at}" for at in range(120)]
    nodes = [node("Cos", one, two) for one, two in pairwise(["x", *names])]
    path = written(tmp_path / "deep.onnx", nodes, [value("x", [2, 32, 32, 64])], names[-1:])
    before = anonymous()
    source = start(path, Feeds(batches=3), tmp_path).result()
    rows = layer_rows(source, Schemes.usual())
    assert anonymous() - before < 60 * 2**20  # all values together have 181 MiB
    assert len(rows) == 121 and not source.has_values("y5")
    assert rows[0].sqnr is not None and not rows[0].exact  # read off the sketch


def test_trials_run_in_a_child_too(tmp_path):
    job = alone.start(DIGITS, Feeds(IMAGES, batches=1), Schemes.usual(), tmp_path)
    found = job.result()
    assert (found.samples, len(found.rows)) == (32, 11)
    done, count = job.progress
    assert done == count == 33  # alone, up to it, all but it


def test_trials_that_are_stopped_keep_what_was_found(tmp_path):
    names = ["x", *(f"n{at}" for at in range(300))]
    nodes = [node("Cos", a, b) for a, b in pairwise(names)]
    path = written(tmp_path / "deep.onnx", nodes, [value("x", [64, 2048])], names[-1:])
    job = alone.start(path, Feeds(batches=2), Schemes.usual(), tmp_path)
    while job.progress[0] < 3:
        assert not job.done
        time.sleep(0.05)
    job.cancel()
    found = job.result()
    assert 2 <= found.tried < 301 == len(found.rows)
    assert found.why == "The run was stopped before its end."
    assert {row.note for row in found.rows} == {"", "not reached before it ended"}
    assert found.rows[0].alone.sqnr is not None  # the input comes first


def drawing(folder):
    """A model with noise of its own, also inside a branch."""
    body = onnx.helper.make_graph(
        [node("RandomUniform", "", "p", shape=[40])], "b", [], [value("p", None)]
    )
    nodes = [
        node("RandomNormal", "", "noise", shape=[40]),
        node("If", "c", "inner", then_branch=body, else_branch=body),
        node("Add", "x noise", "a"),
        node("Add", "a inner", "y"),
    ]
    return written(folder / "m.onnx", nodes, [value("x", [40])], ["y"], c=np.array(True))


def test_a_model_that_draws_at_random_draws_the_same_again(tmp_path):
    feeds = Feeds(batches=3)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    first, second = (start(drawing(tmp_path), feeds, tmp_path / n).result() for n in ("a", "b"))
    assert first.replay is not None
    for name in ("noise", "inner", "y"):
        np.testing.assert_array_equal(first[name], second[name])
        np.testing.assert_array_equal(first[name], first.replay(name))
        assert len(np.unique(first[name])) > 100  # each batch has draws of its own
    sums = first["x"] + first["noise"] + first["inner"]
    np.testing.assert_allclose(first["y"], sums, atol=1e-5)
    one = Whole(
        read_model(drawing(tmp_path)), batches(read_model(drawing(tmp_path)), feeds), Limits()
    )
    np.testing.assert_array_equal(np.concatenate(one.values(["y"])["y"]), first["y"])


@pytest.mark.slow
def test_a_capture_that_is_stopped_by_the_clock_keeps_the_batches_that_are_done(tmp_path):
    """However fast the machine is: the third batch doubles a number 10^12 times."""
    inside = [value("i", [], 7), value("on", [], 9), value("x", [1])]
    given = [value("on2", [], 9), value("x2", [1])]
    body = onnx.helper.make_graph(
        [node("Identity", "on", "on2"), node("Add", "x x", "x2")], "b", inside, given
    )
    loop, constants = node("Loop", "n c x0", "y", body=body), {"c": np.array(True)}
    inputs = [value("n", [1], TensorProto.INT64)]
    path = written(tmp_path / "m.onnx", [loop], inputs, ["y"], x0=np.ones(1, "f4"), **constants)
    np.savez(tmp_path / "in.npz", n=np.array([[1], [2], [10**12], [3]]))
    feeds, limits = Feeds(tmp_path / "in.npz"), Limits(seconds=5.0)
    source = start(path, feeds, tmp_path, limits, partly=True).result()
    assert batches_in(source) == 2
    assert source.skipped["batches"] == "The time was over: 2 of 4 batches were run."
    assert source["y"].tolist() == [2, 4]
    assert source.replay is not None
    assert source.replay("y").tolist() == [2, 4]  # the same batches again


def test_a_job_can_be_cancelled(tmp_path):
    job = start(slow(tmp_path), Feeds(), tmp_path)
    assert not job.done
    job.cancel()
    assert job.done
    with pytest.raises(QvizError, match="stopped before its end"):
        job.result()


def test_a_child_that_is_killed_is_noticed_soon_and_the_next_one_works(tmp_path):
    job = start(slow(tmp_path), Feeds(), tmp_path)
    os.kill(job.child.pid, signal.SIGKILL)
    began = time.monotonic()
    with pytest.raises(QvizError):
        job.result()
    assert time.monotonic() - began < 3
    feeds = Feeds(IMAGES, batches=1)
    assert start(DIGITS, feeds, tmp_path).result().info("logits").shape == (32, 10)


def test_refusals_come_before_anything_runs(tmp_path):
    (tmp_path / "empty.onnx").touch()
    with pytest.raises(RefusedFile):
        start(tmp_path / "empty.onnx", Feeds(), tmp_path)
    with pytest.raises(QvizError, match="--axis batch=8"):
        start(DIGITS, Feeds(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.onnx"]


def test_names_in_messages_are_those_on_screen(tmp_path):
    path = written(tmp_path / "upload", [node("NoSuch", "x", "y")], [value("x", [2])], ["y"])
    with pytest.raises(QvizError, match="does not take the model") as failure:
        start(path, Feeds(), tmp_path, Limits(), "mine.onnx").result()
    assert str(tmp_path) not in str(failure.value)
    assert failure.value.what.count("Traceback") == 0
