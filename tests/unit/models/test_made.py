"""Inputs that are made: sensible values, and clear questions for what is open."""

from itertools import islice

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto

from qviz.errors import QvizError
from qviz.models.made import made_batches, made_shapes
from qviz.models.model import read_model
from tests.unit.models.graphs import node, value, written

INT64, BOOL = TensorProto.INT64, TensorProto.BOOL
TABLE = np.ones((7, 2), np.float32)


def model(path, nodes, inputs, **constants):
    return read_model(written(path / "m.onnx", nodes, inputs, ["y"], **constants))


def made(one, axes=None):
    shapes = made_shapes(one, axes or {})
    return next(islice(made_batches(one, shapes, seed=0), 1))


IDS = [value("ids", ["n", 400], INT64)]
DECODED = [node("DequantizeLinear", "w s", "real"), node("Gather", "real ids", "y")]


@pytest.mark.parametrize(
    ("nodes", "inputs", "constants"),
    [
        ([node("Cast", "ids", "i", to=INT64), node("Gather", "w i", "y")], IDS, {"w": TABLE}),
        (
            [node("Reshape", "ids one", "i"), node("Gather", "w i", "y")], IDS,
            {"w": TABLE, "one": np.array([-1])},
        ),
        (DECODED, IDS, {"w": TABLE.astype(np.int8), "s": np.float32(0.1)}),
        (
            [node("Gather", "w ids", "a"), node("Gather", "v ids", "b"), node("Add", "a b", "y")],
            IDS, {"v": np.ones((99, 2), np.float32), "w": TABLE},
        ),
    ],
)  # fmt: skip
def test_whole_numbers_are_rows_of_the_table_however_they_reach_it(
    nodes, inputs, constants, tmp_path
):
    one = model(tmp_path, nodes, inputs, **constants)
    assert set(made(one, {"n": 2})["ids"].ravel().tolist()) == set(range(7))


def test_a_table_for_other_numbers_says_nothing(tmp_path):
    one = model(tmp_path, [node("Gather", "ids w", "y")], IDS, w=np.array([0]))
    assert set(made(one, {"n": 2})["ids"].ravel().tolist()) == {0, 1}


def test_no_number_is_beyond_its_type(tmp_path):
    inputs = [value("ids", [2000], TensorProto.UINT8)]
    nodes = [node("Cast", "ids", "i", to=INT64), node("Gather", "w i", "y")]
    found = made(model(tmp_path, nodes, inputs, w=np.ones((1000, 1), np.float32)))["ids"]
    assert found.dtype == np.uint8 and found.max() > 200


def test_all_take_part_where_masks_say_who(tmp_path):
    inputs = [
        value("attention_mask", ["n", 3], INT64), value("float_mask", ["n", 3]),
        value("Mask", ["n"], BOOL), value("on", [], BOOL), value("key_padding_mask", ["n"], BOOL),
        value("pad_mask", ["n"]),
    ]  # fmt: skip
    found = made(model(tmp_path, [node("Identity", "on", "y")], inputs), {"n": 4})
    ones = {name for name, x in found.items() if np.all(x == 1)}
    assert ones == {"attention_mask", "float_mask", "Mask", "on"}
    assert not found["key_padding_mask"].any() and not found["pad_mask"].any()


OPEN = [value("a", ["p", 3, None, "?"]), value("b", ["p", "its q"])]


def test_all_open_axes_are_asked_for_at_once(tmp_path):
    one = model(tmp_path, [node("Identity", "a", "y")], OPEN)
    with pytest.raises(QvizError) as error:
        made_shapes(one, {})
    asked = "--axis p=8 --axis a:2=64 --axis a:3=64 --axis 'its q=8'"
    assert (
        str(error.value) == f"The lengths of axes p, a:2, a:3, its q are open. Give them: {asked}."
    )
    with pytest.raises(QvizError) as error:
        made_shapes(one, {"p": 1, "?": 5, "a:2": 6})
    assert str(error.value) == "The length of axis its q is open. Give it: --axis 'its q=8'."
    shapes = made_shapes(one, {"p": 1, "?": 5, "a:2": 6, "its q": 2, "b:0": 9})
    assert shapes == {"a": (1, 3, 6, 5), "b": (9, 2)}


@pytest.mark.parametrize(
    ("inputs", "name", "words"),
    [
        (OPEN, "nonsense", "Open are p, a:2, a:3, its q. Leave out nonsense"),
        (OPEN, "a:1", "No open axis is called a:1"),
        (OPEN, "", "No open axis is called"),
        ([value("a", [2])], "a", "No length is open; --batches 4 runs it"),
    ],
)
def test_axes_that_are_not_open_are_refused(inputs, name, words, tmp_path):
    one = model(tmp_path, [node("Identity", "a", "y")], inputs)
    with pytest.raises(QvizError, match=words):
        made_shapes(
            one, {"p": 1, "?": 5, "a:2": 6, "its q": 2, name: 2} if inputs is OPEN else {name: 2}
        )


def test_a_small_transformer_runs_on_what_is_made(tmp_path):
    nodes = [
        node("Gather", "words ids", "w"), node("Gather", "types token_type_ids", "t"),
        node("Add", "w t", "x"), node("Cast", "attention_mask", "m", to=TensorProto.FLOAT),
        node("Unsqueeze", "m last", "wide"), node("Mul", "x wide", "y"),
    ]  # fmt: skip
    inputs = [
        value(n, ["batch", "sequence"], INT64) for n in ("ids", "token_type_ids", "attention_mask")
    ]
    constants = {"words": np.ones((30, 4), np.float32), "types": np.ones((1, 4), np.float32)}
    one = model(tmp_path, nodes, inputs, **constants, last=np.array([-1]))
    found = made(one, {"batch": 2, "sequence": 5})
    y = np.asarray(onnxruntime.InferenceSession(one.file.path).run(["y"], found)[0])
    assert y.shape == (2, 5, 4) and (y == 2).all()
