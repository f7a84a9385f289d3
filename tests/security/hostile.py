"""A hostile or damaged file for each row of docs/security.md: how it is made, what it ends in.

``CASES`` maps a name to (row, shown name, maker); a maker writes the file to the path it is given.
``PARTLY`` are files of which the good part opens: what is skipped carries the row's code.
"""

import itertools
import pickle
import struct
import warnings
import zipfile

import numpy as np
import onnx
import pyarrow
import pyarrow.parquet
import torch

from tests.security.builders import (
    Evil,
    checkpoint,
    npy_header,
    pickled_text,
    repacked,
    safetensors_bytes,
)

ONE = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}


def written(*parts):
    """A maker of a file with these bytes."""
    return lambda path: path.write_bytes(b"".join(parts))


def evil(path, **how):
    torch.save({"w": Evil(path.with_name("executed"))}, path, **how)


def good(path):
    """A small good checkpoint beside the file."""
    return checkpoint(path.with_name("good.pt"), {"w": torch.ones(2)})


def with_pickle(data, **more):
    """A maker of a checkpoint with another pickle in it."""
    return lambda path: repacked(good(path), path, data=data, **more)


def doubled(count):
    """A pickle that encodes a text in hex again and again: twice as long each time."""
    value = b"c_codecs\nencode\n" + pickled_text("a" * 1000) + pickled_text("latin1") + b"\x86R"
    for _ in range(count):
        value = b"c_codecs\nencode\n" + value + pickled_text("hex") + b"\x86R"
    return b"\x80\x02}U\x01w" + value + b"s."


def slowly(path):
    """Punycode takes minutes for a text of 20,000 different letters."""
    text = pickled_text("".join(map(chr, range(0x4E00, 0x4E00 + 20_000))))
    call = b"c_codecs\nencode\n" + text + pickled_text("punycode") + b"\x86R"
    with_pickle(b"\x80\x02}U\x01w" + call + b"s.")(path)


def hidden(path):
    """A decoy for those who heed the case of a name; torch does not."""
    memory = (
        b"\x80\x02c__builtin__\nbytearray\n\x8a\x06" + (2**40).to_bytes(6, "little") + b"\x85R."
    )
    with zipfile.ZipFile(good(path)) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            if not name.endswith("data.pkl"):
                new.writestr(name, old.read(name))
        folder = old.namelist()[0].split("/")[0]
        new.writestr(f"{folder}/DATA.PKL", memory)
        new.writestr("decoy/data.pkl", b"\x80\x02}.")


def objects(path, renamed=False):
    array = np.array([Evil(path.with_name("executed"))], dtype=object)
    with path.open("wb") as stream:
        if renamed:
            pickle.dump(array, stream)
        else:
            np.save(stream, array)


def zip_bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with archive.open("a.npy", "w", force_zip64=True) as stream:
            stream.write(npy_header((2**26,), "<f4"))
            for _ in range(256):
                stream.write(bytes(1 << 20))


def directory(count):
    """A maker of an archive with a directory of so many entries, and nothing else in it."""

    def make(path):
        fields = (b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
        entries = (struct.pack("<4s6H3I5H2I", *fields) + b"a") * count
        start = b"PK\x03\x04" + bytes(26)
        end = len(start) + len(entries)
        records = (
            struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count,
                        len(entries), len(start)),
            struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1),
            struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 2**32 - 1, 2**32 - 1, 0),
        )  # fmt: skip
        path.write_bytes(b"".join((start, entries, *records)))

    return make


def one_member_many_times(path):
    """60,000 entries of the directory lead to one pickle of 2 MB."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", b"N" * 2_000_000)
    raw = path.read_bytes()
    at, end, count = raw.index(b"PK\x01\x02"), raw.index(b"PK\x05\x06"), 60_000
    entries = raw[at:end] * count
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(entries), at, 0)
    path.write_bytes(raw[:at] + entries + tail)


def packed(path):
    torch.save({"w": torch.zeros(2**24)}, path.with_name("plain.pt"))
    repacked(path.with_name("plain.pt"), path, zipfile.ZIP_DEFLATED)


def tensor(make):
    """A maker of a checkpoint with one tensor."""
    return lambda path: checkpoint(path, lambda: {"w": make()})


class Doubled(torch.nn.Module):
    def forward(self, x):
        return 2 * x


def script(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(Doubled()), path)


def twice(path):
    """100,000 names of which only the last occurs twice."""
    names = [*(f"{n:x}" for n in range(60_000)), "ffff", "ffff"]
    entry = b'":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    text = b"{" + b",".join(b'"' + name.encode() + entry for name in names) + b"}"
    path.write_bytes(safetensors_bytes(text, b""))


def many(count):
    """A maker of a safetensors file with so many empty tensors."""
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    return written(safetensors_bytes({f"layer.{n}": empty for n in range(count)}, b""))


def external(path):
    w = onnx.TensorProto(name="w", data_type=1, dims=[4])
    w.data_location = onnx.TensorProto.EXTERNAL
    entry = w.external_data.add()
    entry.key, entry.value = "location", "../secret.bin"
    graph = onnx.helper.make_graph([], "g", [], [], [w])
    path.write_bytes(onnx.helper.make_model(graph).SerializeToString())


def gguf(path):
    """An array of 2**40 entries in the metadata: 113 bytes that keep a reader busy for long."""
    text = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k"
    path.write_bytes(text + struct.pack("<IIQ", 9, 0, 2**40) + bytes(64))


def odd_column(path):
    """A column neither required nor optional: pyarrow ends the process when asked about it."""
    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, 2.0]}), path)
    raw, optional = path.read_bytes(), b"\x25\x02\x18\x01a"
    if raw.count(optional) != 1:
        raise ValueError("the footer is spelled in another way")
    path.write_bytes(raw.replace(optional, b"\x25\x0a\x18\x01a"))


WIDE = lambda power: tensor(lambda: torch.ones(1).expand(2**power))  # noqa: E731
CASES = {
    "nothing": ("L00", "a.npy", written()),
    "prose": ("L00", "a.npy", written(b"\x00\x01Nothing but words.\n" * 9)),
    "code in a checkpoint": ("L01", "a.pt", evil),
    "code in an old checkpoint": (
        "L01", "a.bin", lambda p: evil(p, _use_new_zipfile_serialization=False)),
    "a text doubled 30 times": ("L01", "a.pt", with_pickle(doubled(30))),
    "a text encoded slowly": ("L01", "a.pt", slowly),
    "a pickle behind a decoy": ("L01", "a.pt", hidden),
    "four million lists": ("L01", "a.pt", with_pickle(b"\x80\x02(" + b"]" * 2**22 + b"t.")),
    "three million sets": (
        "L01", "a.pt", with_pickle(b"\x80\x02(" + b"\x8f" * (3 * 2**20 - 9) + b"t.")),
    "an old checkpoint of many steps": (
        "L01", "a.pt", written(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", b"\x80\x02M\xe9\x03.",
                               b"\x80\x02}.", b"\x80\x02(", b"N" * 2**22, b"t.")),
    "one pickle many times": ("L01", "a.pt", one_member_many_times),
    "objects in an array": ("L02", "a.npy", objects),
    "a pickle named as an array": ("L02", "a.npy", lambda p: objects(p, renamed=True)),
    "an array in a checkpoint": (
        "L03", "a.pt", lambda p: checkpoint(p, {"x": np.ones(3)})),
    "zip bomb": ("L04", "a.npz", zip_bomb),
    "a vast directory": ("L04", "a.npz", directory(500_000)),
    "too many members": ("L04", "a.npz", lambda p: np.savez(
        p, **{f"a{n}": np.zeros(0) for n in range(10_001)})),
    "packed checkpoint": ("L05", "a.pt", packed),
    "2**36 elements of one": ("L06", "a.pt", WIDE(36)),
    "2**40 elements of one": ("L06", "a.pt", WIDE(40)),
    "sparse": ("L07", "a.pt", tensor(
        lambda: torch.sparse_coo_tensor([[0]], [1.0], (2**34,)))),
    "meta": ("L07", "a.pt", tensor(lambda: torch.ones(2, device="meta"))),
    "nested": ("L07", "a.pt", tensor(
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))),
    "program": ("L08", "a.pt", script),
    "terabytes": ("L09", "a.npy", written(npy_header((10**12,), "<f4"), bytes(16))),
    "a gigabyte": ("L09", "a.npy", written(npy_header((2**28,), "<f4"), bytes(16))),
    "overflow": ("L09", "a.npy", written(npy_header((2**62, 2**62), "<f8"), bytes(16))),
    "text": ("L10", "a.npy", written(npy_header((1,), "<U2"), bytes(8))),
    "records": ("L10", "a.npy", lambda p: np.save(p, np.zeros(2, [("x", "f4"), ("y", "i4")]))),
    "overlap": ("L11", "a.safetensors", written(safetensors_bytes(
        {"a": ONE, "b": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}}))),
    "a header of 2**63": ("L11", "a.safetensors", written(
        safetensors_bytes({"a": ONE}, length=2**63))),
    "a name twice among 60,000": ("L11", "a.safetensors", twice),
    "200,000 names": ("L11", "a.safetensors", many(200_000)),
    "40,000 names": ("L11", "a.safetensors", many(40_000)),
    "four bits": ("L12", "a.safetensors", written(safetensors_bytes(
        {"a": {"dtype": "F4", "shape": [32], "data_offsets": [0, 16]}}))),
    "a graph with its data elsewhere": ("L13", "a.onnx", external),
    "an odd column": ("L23", "a.parquet", odd_column),
    "gguf": ("L16", "a.gguf", gguf),
}  # fmt: skip


def beside_objects(path):
    np.savez(path, good=np.arange(3.0), bad=np.array([Evil(path.with_name("executed"))], object))


def beside_windows(path):
    windows = torch.arange(2048.0).as_strided((1024, 1024), (1, 1))
    checkpoint(path, {"bad": windows, "good": torch.arange(3.0)})


def beside_four_bits(path):
    header = {
        "bad": {"dtype": "F4", "shape": [16], "data_offsets": [0, 8]},
        "good": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
    }
    path.write_bytes(safetensors_bytes(header))


PARTLY = {
    "beside objects": ("L02", "a.npz", beside_objects),
    "beside windows": ("L06", "a.pt", beside_windows),
    "beside four bits": ("L12", "a.safetensors", beside_four_bits),
}


def made(folder):
    """All files, each in a folder of its own: name -> (row, shown, path)."""
    files = {}
    for number, (name, (row, shown, make)) in enumerate(
        itertools.chain(CASES.items(), PARTLY.items())
    ):
        path = folder / str(number) / shown
        path.parent.mkdir()
        make(path)
        files[name] = (row, shown, path)
    return files
