"""L09, L11, L12: headers that lie, and types that cannot be read."""

import json
import math
import struct

import pytest
from safetensors import SafetensorError, safe_open

from qviz.sources.base import open_file
from tests.security.builders import F32, npy_header, quick, refused, safetensors_bytes


def text_header(text):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


NPY = {
    "terabytes": npy_header((10**12,), "<f4") + bytes(16),
    "gigabyte": npy_header((2**28,), "<f4") + bytes(16),
    "overflowing": npy_header((2**62, 2**62), "<f8") + bytes(16),
    "negative": npy_header((-4,), "<f4") + bytes(16),
    "one short": npy_header((4,), "<f4") + bytes(15),
    "no elements": npy_header((4,), "<f4"),
    "cut in its header": npy_header((4,), "<f4")[:40],
    "cut in its length": b"\x93NUMPY\x01\x00\x10",
    "cut in its magic": b"\x93NUMPY",
    "version": b"\x93NUMPY\x09\x00" + bytes(100),
    "long header": b"\x93NUMPY\x02\x00" + struct.pack("<I", 20_000) + b" " * 20_000,
    "longest header": b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1),
    "no fields": text_header(b"{}" + b" " * 60),
    "expression": text_header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2**9,)}"),
    "fields twice": text_header(
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (2,)}"
    ),
    "digits": text_header(
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b"9" * 5000 + b",)}"
    ),
    "spaces": text_header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2,)}"),
    "many axes": npy_header((1,) * 65, "<f4") + bytes(4),
    "empty and vast": npy_header((0, 2**62), "<f4"),
    "unknown type": npy_header((1,), "<q9") + bytes(16),
}


@pytest.mark.parametrize("case", NPY)
def test_l09_npy_headers_that_lie_are_refused(tmp_path, case):
    path = tmp_path / "a.npy"
    path.write_bytes(NPY[case])
    with quick(0.2):
        refused(path, "L09")


def entry(first, last, shape, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [first, last]}


SAFETENSORS = {
    "overlap": safetensors_bytes({"a": F32, "b": entry(8, 16, [2])}),
    "gap": safetensors_bytes({"a": entry(0, 4, [1]), "b": entry(8, 16, [2])}),
    "out of range": safetensors_bytes({"a": entry(0, 64, [16])}),
    "size": safetensors_bytes({"a": entry(0, 16, [3])}),
    "reversed": safetensors_bytes({"a": entry(16, 0, [4])}),
    "negative": safetensors_bytes({"a": entry(0, 16, [-4])}),
    "overflow": safetensors_bytes({"a": entry(0, 16, [2**63, 2**63])}),
    "header of 2**63": safetensors_bytes({"a": F32}, length=2**63),
    "header over 100 MB": safetensors_bytes({"a": F32}, length=10**8 + 1),
    "header beyond the file": safetensors_bytes({"a": F32}, length=1000),
    "deep": safetensors_bytes(b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"),
    "truncated": safetensors_bytes({"a": F32}, bytes(8)),
    "trailing": safetensors_bytes({"a": F32}, bytes(20)),
    "no JSON": safetensors_bytes(b"{nope"),
    "not UTF-8": safetensors_bytes(b'{"\xff": 1}'),
    "unknown type": safetensors_bytes({"a": entry(0, 16, [4], "Q9")}),
    "metadata of numbers": safetensors_bytes({"__metadata__": {"a": 1}, "a": F32}),
}


@pytest.mark.parametrize("case", SAFETENSORS)
def test_l11_safetensors_that_lie_are_refused(tmp_path, case):
    path = tmp_path / "a.safetensors"
    path.write_bytes(SAFETENSORS[case])
    with pytest.raises(SafetensorError), safe_open(path, framework="numpy"):
        pass  # the format's own library agrees
    with quick(0.5):
        refused(path, "L11", "damaged")


@pytest.mark.parametrize("where", ["tensor", "field"])
def test_l11_names_that_occur_twice_are_refused(tmp_path, where):
    one = json.dumps(F32).encode()
    header = {
        "tensor": b'{"a":' + one + b',"a":' + one + b"}",
        "field": b'{"a":' + one[:-1] + b', "x": 1, "x": 2}}',
    }[where]
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors_bytes(header))
    refused(path, "L11", "twice")


def test_l11_a_number_that_python_will_not_read_is_refused(tmp_path):
    text = b'{"a":' + json.dumps(F32).encode()[:-1] + b', "x": ' + b"9" * 5000 + b"}}"
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors_bytes(text))
    refused(path, "L11", "damaged")


@pytest.mark.parametrize(("dtype", "bits"), [("F4", 4), ("F6_E2M3", 6), ("F8_E8M0", 8)])
def test_l12_types_that_cannot_be_read_are_skipped_by_name(tmp_path, dtype, bits):
    nbytes = 16 * bits // 8
    header = {"a": entry(0, nbytes, [16], dtype), "b": entry(nbytes, nbytes + 8, [2])}
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors_bytes(header, bytes(nbytes) + struct.pack("<2f", 1.5, -2)))
    source = open_file(path)
    assert source["b"].tolist() == [1.5, -2]
    assert dtype in source.skipped["a"] and "(L12)" in source.skipped["a"]


def test_l12_a_file_of_unreadable_types_only_is_refused(tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors_bytes({"a": entry(0, 8, [16], "F4")}, bytes(8)))
    refused(path, "L12", "F4", "float32")


def test_lies_are_told_apart_from_large_files(tmp_path):
    path = tmp_path / "large.npy"
    header = npy_header((10 * 2**30,), "<f4")
    with path.open("wb") as stream:  # 40 GiB of nothing
        stream.write(header)
        stream.truncate(len(header) + 40 * 2**30)
    with quick():
        source = open_file(path)
        assert math.fsum(source["large"][-5:]) == 0
