"""What goes into a model."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from qviz.errors import QvizError
from qviz.models.feeds import Feeds, batches
from qviz.models.model import read_model
from tests.unit.models.graphs import DIGITS, IMAGES, node, value, written

X = np.arange(70, dtype=np.float32).reshape(10, 7)


def model(folder, *inputs):
    nodes = [node("Identity", one.name, f"{one.name}_out") for one in inputs]
    return read_model(written(folder / "m.onnx", nodes, inputs, ["out"]))


def saved(folder, **arrays):
    np.savez(folder / "in.npz", **arrays)
    return folder / "in.npz"


def test_samples_are_cut_into_batches(tmp_path):
    one = model(tmp_path, value("x", ["n", 7]))
    fed = batches(one, Feeds(saved(tmp_path, x=X), batch=4))
    assert [b["x"].tolist() for b in fed] == [X[:4].tolist(), X[4:8].tolist(), X[8:].tolist()]
    fed = batches(one, Feeds(saved(tmp_path, other=X), batches=2, batch=4))  # the only array
    assert [len(b["x"]) for b in fed] == [4, 4]


def test_a_fixed_length_sets_the_batch(tmp_path):
    one = model(tmp_path, value("x", [5, 7]))
    assert [b["x"].shape for b in batches(one, Feeds(saved(tmp_path, x=X)))] == [(5, 7)] * 2
    with pytest.raises(QvizError, match="do not divide"):
        batches(one, Feeds(saved(tmp_path, x=X[:8])))


def test_batches_may_lie_along_an_axis_of_their_own(tmp_path):
    one = model(tmp_path, value("x", ["n", 7]))
    fed = batches(one, Feeds(saved(tmp_path, x=X.reshape(2, 5, 7))))
    assert [b["x"].tolist() for b in fed] == [X[:5].tolist(), X[5:].tolist()]


def test_labels_belong_to_the_samples_that_are_run():
    fed = batches(read_model(DIGITS), Feeds(IMAGES, batches=3))
    with np.load(IMAGES) as found:
        assert fed.labels is not None and fed.labels.tolist() == found["labels"][:96].tolist()


def test_labels_are_read_when_somebody_asks(tmp_path):
    one = model(tmp_path, value("x", ["n", 7]))
    fed = batches(
        one, Feeds(saved(tmp_path, x=X.reshape(2, 5, 7), labels=np.arange(10)), batches=1)
    )
    assert fed.labels is not None and fed.labels.tolist() == [0, 1, 2, 3, 4]
    fed = batches(one, Feeds(saved(tmp_path, x=X, labels=np.arange(8))))
    assert len(list(fed)) == 1
    with pytest.raises(QvizError, match="do not fit 10 samples"):
        assert fed.labels is None
    assert batches(one, Feeds(saved(tmp_path, x=X))).labels is None


def test_the_count_of_batches_may_be_beyond_all_bounds(tmp_path):
    one = model(tmp_path, value("x", [2]))
    assert len(list(islice(batches(one, Feeds(batches=10**30)), 5))) == 5


def test_an_array_file_serves_the_only_input(tmp_path):
    np.save(tmp_path / "x.npy", X)
    one = model(tmp_path, value("x", ["n", 7]))
    assert [len(b["x"]) for b in batches(one, Feeds(tmp_path / "x.npy"))] == [10]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"x": X, "y": X[:3]}, "same number of batches"),
        ({"x": X}, "holds nothing for the input y"),
        ({"x": X[:, :3], "y": X}, "does not fit"),
        ({"x": X[None, None], "y": X}, "does not fit"),
        ({"x": X, "y": X[:0]}, "same number of batches"),
    ],
)
def test_what_does_not_fit_is_refused(arrays, words, tmp_path):
    two = model(tmp_path, value("x", ["n", 7]), value("y", ["n", 7]))
    with pytest.raises(QvizError, match=words):
        batches(two, Feeds(saved(tmp_path, **arrays), batch=2))


def test_types_are_never_changed_in_silence(tmp_path):
    ids = model(tmp_path, value("x", ["n", 7], TensorProto.INT64))
    with pytest.raises(QvizError, match="takes int64, not float32"):
        batches(ids, Feeds(saved(tmp_path, x=X)))
    (fed,) = batches(ids, Feeds(saved(tmp_path, x=X.astype(np.uint8))))
    assert fed["x"].dtype == np.int64


def test_values_are_made_to_shape_and_type_and_the_same_again(tmp_path):
    one = model(
        tmp_path,
        value("x", ["n", 3], TensorProto.FLOAT16),
        value("ids", ["n", "t"], TensorProto.INT64),
        value("mask", ["n", None], TensorProto.INT32),
        value("on", [2], TensorProto.BOOL),
    )
    feeds = Feeds(axes={"n": 4, "t": 5, "mask:1": 6}, batches=3)
    first, again = ([dict(b) for b in batches(one, feeds)] for _ in range(2))
    shapes = {name: (x.shape, x.dtype.name) for name, x in first[0].items()}
    assert shapes == {
        "x": ((4, 3), "float16"),
        "ids": ((4, 5), "int64"),
        "mask": ((4, 6), "int32"),
        "on": ((2,), "bool"),
    }
    assert len(first) == 3 and not np.array_equal(first[0]["x"], first[1]["x"])
    for a, b in zip(first, again, strict=True):
        assert all(np.array_equal(a[name], b[name]) for name in a)
    assert set(np.unique([b["ids"] for b in first])) == {0, 1}
    assert first[0]["mask"].min() == 1 and first[0]["on"].all()


def test_whole_numbers_are_rows_of_the_table_they_look_up(tmp_path):
    nodes = [node("Gather", "w ids", "y")]
    inputs = [value("ids", [1000], TensorProto.INT64)]
    table = np.ones((5, 2), np.float32)
    one = read_model(written(tmp_path / "m.onnx", nodes, inputs, ["y"], w=table))
    made = next(islice(batches(one, Feeds()), 1))["ids"]
    assert set(made.tolist()) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("input", "feeds", "words"),
    [
        (value("x", ["n", 3]), Feeds(), "--axis n=8"),
        (value("x", [None, 3]), Feeds(), "--axis x:0=8"),
        (value("x", None), Feeds(), "how many axes"),
        (value("x", ["n"]), Feeds(axes={"n": 2**40}), "at most|At most"),
        (value("x", ["n"]), Feeds(axes={"n": 0}), "is open"),
        (value("x", ["n"]), Feeds(axes={"n": 1, "t": 1}), "No open axis is called t"),
        (value("x", [2], TensorProto.STRING), Feeds(), "x takes text"),
        (value("x", [2], TensorProto.BFLOAT16), Feeds(), "x takes bfloat16"),
        (value("x", [2]), Feeds(batches=0), "Fewer than one"),
        (value("x", [2]), Feeds(seed=-1), "seed -1 is below 0"),
    ],
)
def test_what_cannot_be_made_is_asked_for(input, feeds, words, tmp_path):
    with pytest.raises(QvizError, match=words):
        batches(model(tmp_path, input), feeds)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (None, ["--axis", "n=4"]),
        (Path("in.npz"), ["--inputs", "in.npz"]),  # which says how long n is
    ],
)
def test_options_spell_the_feeds(inputs, words):
    rest = ["--batches", "2", "--batch", "8", "--seed", "3"]
    assert Feeds(inputs, {"n": 4}, 2, 8, 3).words() == words + rest
