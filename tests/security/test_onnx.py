"""L13, L15: models that keep data elsewhere, lie about sizes, nest or repeat without end."""

import mmap

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from tests.security.builders import quick, refused
from tests.security.test_limits import MEMORY, SECONDS, opened


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def record(number, content):
    """A field of bytes as the format writes it."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def number(field, value):
    return varint(field << 3) + varint(value)


def external(name="w", location="../secret.bin"):
    made = TensorProto(name=name, data_type=1, dims=[4], data_location=TensorProto.EXTERNAL)
    if location is not None:
        entry = made.external_data.add()
        entry.key, entry.value = "location", location
    return made


def graph(nodes=(), initializers=(), **more):
    return helper.make_graph(list(nodes), "g", [], [], list(initializers), **more)


def written(path, made):
    model = made if isinstance(made, onnx.ModelProto) else helper.make_model(made)
    path.write_bytes(model.SerializeToString())
    return path


def in_function():
    body = [helper.make_node("Constant", [], ["y"], value=external())]
    own = helper.make_function("own", "f", [], ["y"], body, [helper.make_opsetid("", 20)])
    return helper.make_model(graph(), functions=[own])


def in_training():
    model = helper.make_model(graph())
    model.training_info.add().initialization.CopyFrom(graph(initializers=[external()]))
    return model


def quiet():
    """Data marked as inside, with a place outside all the same."""
    made = external()
    made.data_location = TensorProto.DEFAULT
    return made


OUTSIDE = {
    "initializer": lambda: graph(initializers=[external()]),
    "constant": lambda: graph([helper.make_node("Constant", [], ["y"], value=external())]),
    "attribute": lambda: graph([helper.make_node("Own", [], ["y"], table=external())]),
    "list": lambda: graph([helper.make_node("Own", [], ["y"], tables=[external()] * 2)]),
    "subgraph": lambda: graph(
        [helper.make_node("If", ["c"], ["y"], then_branch=graph(initializers=[external()]))]
    ),
    "shape constant": lambda: graph(
        [helper.make_node("ConstantOfShape", ["s"], ["y"], value=external())]
    ),
    "sparse": lambda: graph(
        sparse_initializer=[
            helper.make_sparse_tensor(external(), numpy_helper.from_array(np.array([0])), [9])
        ]
    ),
    "function": in_function,
    "training": in_training,
    "unmarked": lambda: graph(initializers=[quiet()]),
}


@pytest.mark.parametrize("where", OUTSIDE)
def test_l13_data_in_another_file_is_refused_wherever_it_is_named(tmp_path, where):
    path = written(tmp_path / "a.onnx", OUTSIDE[where]())
    refused(path, "L13", "secret.bin", "another file")


def test_l13_an_unnamed_place_is_refused_too(tmp_path):
    path = written(tmp_path / "a.onnx", graph(initializers=[external(location=None)]))
    refused(path, "L13", "does not name")


def test_l13_a_file_beside_the_model_is_not_opened(tmp_path, monkeypatch):
    stored = numpy_helper.from_array(np.ones(2000, np.float32), "w")
    onnx.save(
        helper.make_model(graph(initializers=[stored])),
        tmp_path / "a.onnx",
        save_as_external_data=True,
        location="weights.bin",
    )
    assert (tmp_path / "weights.bin").stat().st_size == 8000
    maps = []
    real = mmap.mmap
    monkeypatch.setattr(mmap, "mmap", lambda *a, **k: maps.append(a) or real(*a, **k))
    refused(tmp_path / "a.onnx", "L13", "weights.bin")
    assert len(maps) == 1


def test_l15_models_without_a_graph_are_refused(tmp_path):
    path = tmp_path / "a.onnx"
    path.write_bytes(onnx.ModelProto(ir_version=8).SerializeToString())
    refused(path, "L15", "no graph")
    path.write_bytes(b"")
    with pytest.raises(RefusedFile, match="0 bytes"):
        open_file(path)


def model_bytes(*fields):
    """A model with a graph of these fields."""
    return number(1, 8) + record(7, b"".join(fields))


def stored(dims, raw, kind=1, field=9):
    parts = b"".join(number(1, n) for n in dims)
    return record(5, parts + number(2, kind) + record(8, b"w") + record(field, raw))


def nested(depth):
    """Graphs in attributes of nodes of graphs."""
    inside = b""
    for _ in range(depth):
        node = record(4, b"If") + record(5, record(1, b"then_branch") + record(6, inside))
        inside = record(1, node)
    return inside


LIES = {
    "more than is there": model_bytes(stored([2**40], bytes(16))),
    "less than is there": model_bytes(stored([2], bytes(16))),
    "negative": model_bytes(stored([2**64 - 4], bytes(16))),
    "overflowing": model_bytes(stored([2**62, 2**62, 16], b"")),
    "typed data": model_bytes(stored([1000], bytes(16), field=4)),
    "varints": model_bytes(stored([1000], b"\xff" * 2000, kind=7, field=7)),
    "many axes": model_bytes(stored([1] * 65, bytes(4))),
    "no data": model_bytes(record(5, number(1, 4) + number(2, 1) + record(8, b"w"))),
}


@pytest.mark.parametrize("case", LIES)
def test_l15_sizes_that_lie_are_refused(tmp_path, case):
    path = tmp_path / "a.onnx"
    path.write_bytes(LIES[case])
    with quick(0.5):
        refused(path, "L15")


DAMAGED = {
    "a length beyond the end": number(1, 8) + varint(7 << 3 | 2) + varint(2**40) + bytes(600),
    "a graph cut off": model_bytes(stored([500], bytes(2000)))[:-100],
    "an endless number": number(1, 8) + record(7, b"\x08" + b"\xff" * 600),
    "a kind that is none": number(1, 8) + record(7, b"\x0b" + bytes(600)),
    "graphs within graphs": model_bytes(nested(40)),
    "a number cut off": number(1, 8) + record(7, b"\x0d\x00"),
    "a million empty parts": model_bytes(b"\x0a\x00" * 1_100_000),
}


@pytest.mark.parametrize("weights", [9, 20, 2000])
@pytest.mark.parametrize("cut", [1, 20, 30])
def test_l15_a_model_that_ends_early_is_damaged(tmp_path, weights, cut):
    stored = [numpy_helper.from_array(np.ones(weights, np.float32), "w")]
    path = written(tmp_path / "a.onnx", graph(initializers=stored))
    path.write_bytes(path.read_bytes()[:-cut])
    refused(path, "L15", "damaged")


@pytest.mark.parametrize("raw", [b"\x08\x07", b"\x08\x07\x7a\x70abc", b"\x08\x7f:\x70", b"Bread"])
def test_what_only_begins_like_a_cut_model_is_none(tmp_path, raw):
    (tmp_path / "a.onnx").write_bytes(raw)
    with pytest.raises(RefusedFile) as caught:
        open_file(tmp_path / "a.onnx")
    assert caught.value.code == ("L15" if len(raw) == 2 else "L00")


@pytest.mark.parametrize("case", DAMAGED)
def test_l15_damaged_models_are_refused(tmp_path, case):
    path = tmp_path / "a.onnx"
    path.write_bytes(DAMAGED[case])
    with quick(8):  # the next test holds the sharp limit, in a process of its own
        refused(path, "L15", "damaged")


def test_hostile_models_are_refused_within_the_limits(tmp_path):
    files = {}
    for name, content in (LIES | DAMAGED).items():
        path = tmp_path / f"{len(files)}.onnx"
        path.write_bytes(content)
        files[name] = ("L15", path.name, path)
    for name, said in opened(files).items():
        assert (said["code"], said["raised"]) == ("L15", ""), name
        assert said["seconds"] < SECONDS and said["memory"] < MEMORY, name


def test_a_bomb_of_a_graph_is_never_run(tmp_path):
    """A hundred bytes that ask for 2^33 elements, and a loop without end, are only listed."""
    sizes = numpy_helper.from_array(np.array([2**33]), "s")
    trips = numpy_helper.from_array(np.array(10**12), "trips")
    body = graph([helper.make_node("Identity", ["c"], ["d"])])
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["b"]),
        helper.make_node("Loop", ["trips", ""], ["out"], body=body),
    ]
    path = written(tmp_path / "a.onnx", graph(nodes, [sizes, trips]))
    with quick():
        source = open_file(path)
        assert source.names == ("s", "trips")
        assert source["s"].tolist() == [2**33]


def test_names_that_no_one_would_give_are_kept_as_text(tmp_path):
    names = [
        "<img src=x onerror=alert(1)>",
        "../../etc/x",
        "a" * 10_000,
        "x\u202egnp",
        "a\nb\0",
        "",
    ]
    values = [numpy_helper.from_array(np.ones(1, np.float32), name) for name in names]
    source = open_file(written(tmp_path / "a.onnx", graph(initializers=values)))
    assert source.names == (*names[:5], "unnamed")
    assert all(source[name].tolist() == [1] for name in source)


def test_scales_that_would_fill_the_memory_are_not_decoded(tmp_path, monkeypatch):
    monkeypatch.setattr("qviz.sources.onnx.loader.PARAMETERS", 10)
    tensors = [
        numpy_helper.from_array(np.ones((20, 2), np.int8), "w"),
        numpy_helper.from_array(np.ones(20, np.float32), "s"),
    ]
    node = helper.make_node("DequantizeLinear", ["w", "s"], ["r"], axis=0)
    source = open_file(written(tmp_path / "a.onnx", graph([node], tensors)))
    assert source.names == ("w", "s")
    assert "too many scales" in source.skipped["w (dequantized)"]
