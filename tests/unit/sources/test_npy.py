import io
import struct

import numpy as np
import pytest

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from qviz.sources.npy import read_header
from tests.unit.sources.memory import cost_of_reading, grown

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NAMES += ["float16", "float32", "float64"]
SHAPES = [(), (5,), (2, 3, 4), (0,), (3, 0, 2)]


def roundtrip(folder, array):
    np.save(folder / "a.npy", array)
    return open_file(folder / "a.npy")


@pytest.mark.parametrize(("kind", "name"), list(zip(TYPES, NAMES, strict=True)))
@pytest.mark.parametrize("order", "<>")
def test_every_numeric_type_comes_back(tmp_path, kind, name, order):
    array = np.array([0, 1, 1, 0, 100, 7]).astype(np.dtype(kind).newbyteorder(order))
    source = roundtrip(tmp_path, array.reshape(2, 3))
    assert source["a"].tolist() == array.reshape(2, 3).tolist()
    assert source["a"].dtype == array.dtype
    assert source.info("a").dtype == name


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", "CF")
def test_every_shape_and_order_comes_back(tmp_path, shape, order):
    size = int(np.prod(shape))
    array = np.arange(size, dtype=np.float32).reshape(shape).copy(order)
    source = roundtrip(tmp_path, array)
    assert source.info("a").shape == shape
    assert source["a"].shape == shape
    assert source["a"].tolist() == array.tolist()
    assert source["a"].strides == array.strides


@pytest.mark.parametrize("kind", ["c8", "c16", ">c8"])
def test_complex_arrays_become_three(tmp_path, kind):
    source = roundtrip(tmp_path, np.array([[3 + 4j], [0 - 2j]], kind))
    assert {name: source[name].tolist() for name in source} == {
        "a.real": [[3], [0]],
        "a.imag": [[4], [-2]],
        "a.abs": [[5], [2]],
    }
    assert {source[name].dtype.name for name in source} == {source.info("a.abs").dtype}


@pytest.mark.parametrize(
    ("array", "code", "word"),
    [
        (np.array([None]), "L02", "Python objects"),
        (np.array(["text"]), "L10", "text"),
        (np.array([b"text"]), "L10", "byte strings"),
        (np.array(["2020-01-01"], "M8[D]"), "L10", "dates"),
        (np.array([3], "m8[s]"), "L10", "time spans"),
        (np.zeros(2, [("x", "f4"), ("y", "i4")]), "L10", "structured records"),
        (np.zeros(2, "V2"), "L10", "raw bytes"),
        (np.ones(2, np.longdouble), "L10", "extended-precision"),
        (np.ones(2, np.clongdouble), "L10", "extended-precision"),
    ],
)
def test_what_is_no_number_is_refused_by_its_kind(tmp_path, array, code, word):
    with pytest.raises(RefusedFile, match=word) as caught:
        roundtrip(tmp_path, array)
    assert caught.value.code == code


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_header_is_read(version):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ones((2, 3), ">f4", order="F"), version)
    stream.seek(0)
    header = read_header(stream, "a")
    assert (header.shape, header.order, header.dtype) == ((2, 3), "F", np.dtype(">f4"))
    assert header.offset == stream.tell()
    assert header.nbytes == 24


def test_headers_of_other_writers_are_read():
    text = b'{"shape": (3L, 2L), "fortran_order":True,"descr":"<i2"}'
    raw = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
    header = read_header(io.BytesIO(raw), "a")
    assert (header.shape, header.order, header.dtype) == ((3, 2), "F", np.dtype("<i2"))


def test_bytes_after_the_array_are_told(tmp_path):
    with (tmp_path / "two.npy").open("wb") as stream:
        np.save(stream, np.arange(3.0))
        end = stream.tell()
        np.save(stream, np.ones(2))
        more = stream.tell() - end
    source = open_file(tmp_path / "two.npy")
    assert source["two"].tolist() == [0, 1, 2]
    assert f"{more} bytes" in source.info("two").about


def test_a_hundred_million_floats_cost_no_memory(tmp_path):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "<f4", "fortran_order": False, "shape": (10**8,)}
    )
    path = grown(tmp_path / "a.npy", stream.getvalue(), 4 * 10**8, struct.pack("<2f", 1.5, 2))
    kibibytes, total, torch = cost_of_reading(path, "a")
    assert total == 3.5
    assert kibibytes < 64 * 1024
    assert not torch
