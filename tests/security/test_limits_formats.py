"""Tables, parquet files, indexes, sidecars, models and pasted text, in a child with limits.

Each is refused, or opens without what lies, within 2 seconds and 400 MB.
"""

import json
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.browser.serving import ROOT
from tests.security.builders import safetensors_bytes
from tests.security.parquet_parts import page, parquet, zstd_zeros
from tests.security.test_limits import MEMORY, SECONDS, WORDS_OF_FEAR, opened
from tests.unit.sources.test_tflite_file import written as model

MIB = 2**20
BOMB = page(10, 2**31 - 2**17, zstd_zeros(2**31 - 2**17))
INDEX = "m.safetensors.index.json"


def written(name, *parts):
    """A maker of a file of this name with these bytes."""

    def make(folder):
        path = folder / name
        path.write_bytes(b"".join(parts))
        return path

    return make


def index(shards):
    """A maker of an index that names a shard of one tensor, as often as it likes."""

    def make(folder):
        save_file({"w": np.ones(2, np.float32)}, folder / "one.safetensors")
        return written(INDEX, json.dumps({"weight_map": shards}).encode())(folder)

    return make


def many_in_a_shard(folder):
    """An index and a shard of 40,000 names; the shard itself is refused for it."""
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    names = [f"t{n}" for n in range(40_000)]
    raw = safetensors_bytes(dict.fromkeys(names, empty), b"")
    written("one.safetensors", raw)(folder)
    return index_of(folder, dict.fromkeys(names, "one.safetensors"))


def index_of(folder, shards):
    return written(INDEX, json.dumps({"weight_map": shards}).encode())(folder)


DEEP = b"[" * MIB + b"]" * MIB
HOSTILE = {
    "a table of words": ("L22", written("a.csv", b"1,2\n", b"a,b\n" * (15 * MIB // 4))),
    "a table of one row": ("L22", written("a.csv", b"1," * (15 * MIB // 2), b"x")),
    "a table that is too long": ("L22", written("a.csv", b"1,2\n" * 5 * MIB)),
    "a page of 2 GiB": ("L23", written("a.parquet", parquet(10, BOMB))),
    "2**31 values": ("L23", written("a.parquet", parquet(10, BOMB, values=2**31))),
    "2**40 rows": ("L23", written("a.parquet", parquet(2**40, BOMB))),
    "page headers without end": (
        "L23", written("a.parquet", parquet(10, page(0, 0, b"") * 400_000))),
    "20,000 columns": (
        "L23", written("a.parquet", parquet(10, BOMB, names=[b"c%d" % n for n in range(20_000)]))),
    "an index that nests deep": ("L11", written(INDEX, b'{"weight_map": ', DEEP, b"}")),
    "an index without end": ("L11", written(INDEX, b'{"weight_map": {}, "x": "', b"a" * 17 * MIB)),
    "an index of 20,000 files": (
        "L11", index({f"t{n}": f"{n}.safetensors" for n in range(20_000)})),
    "an index of 100,000 names": (
        "L11", index({f"t{n}": "one.safetensors" for n in range(100_000)})),
    "a shard of 40,000 names": ("L11", many_in_a_shard),
    "a shard outside": ("L19", index({"w": "../one.safetensors"})),
}  # fmt: skip


def made(folder, makers):
    """The files of some makers, each in a folder of its own: name -> (code, shown, path)."""
    files = {}
    for at, (name, (code, make)) in enumerate(makers.items()):
        (folder / str(at)).mkdir()
        path = make(folder / str(at))
        files[name] = (code, path.name, path)
    return files


def little(said):
    """No traceback, little time, little memory."""
    assert said["raised"] == ""
    assert said["seconds"] <= SECONDS
    assert said["memory"] <= MEMORY


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    return opened(made(tmp_path_factory.mktemp("hostile"), HOSTILE))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_words(outcomes, name):
    said = outcomes[name]
    assert (said["code"], said["names"]) == (HOSTILE[name][0], [])
    assert all(part and len(part) < 400 for part in said["words"])
    assert not any(word in " ".join(said["words"]) for word in WORDS_OF_FEAR)
    little(said)


SIDECARS = {
    "deep": b'{"scale": ' + DEEP[: 500_000] + DEEP[-500_000:] + b"}",
    "long": b'{"scale": [' + b"1," * 8 * MIB + b"1]}",
    "a million scales": b'{"scale": [' + b"1," * 500_000 + b"1]}",
    "many names": b'{"a":1,' + b",".join(b'"%d":1' % n for n in range(100_000)) + b"}",
    "a digit for each byte": b'{"scale": 1' + b"0" * 1_000_000 + b"}",
}  # fmt: skip


def beside(text):
    def make(folder):
        np.save(folder / "codes.npy", np.array([1, 2, 3], np.int8))
        written("codes.json", text)(folder)
        return folder / "codes.npy"

    return make


def test_a_hostile_sidecar_leaves_the_codes_readable(tmp_path):
    files = made(tmp_path, {name: ("", beside(text)) for name, text in SIDECARS.items()})
    for name, said in opened(files).items():
        assert said["names"] == ["codes"], name
        reasons = said["skipped"].values()
        assert name == "many names" or all(r.endswith("(L11)") for r in reasons), name
        assert len(reasons) == (name != "many names"), name
        little(said)


def pairs(folder):
    """12,000 members, deflated; each pair is read while the directory is at hand."""
    one, scale = np.ones((4, 3), np.int8), np.ones(4, np.float32)
    arrays = {f"a{n}": one for n in range(4000)} | {f"a{n}_scale": scale for n in range(4000)}
    np.savez_compressed(folder / "a.npz", **arrays)
    return folder / "a.npz"


def columns(folder):
    """3,000 columns that all lead to one page of zeros, of 60 MiB: none is unpacked on listing."""
    names = [b"c%d" % n for n in range(3_000)]
    raw = parquet(10, page(10, 60 * MIB, zstd_zeros(60 * MIB)), names=names)
    return written("a.parquet", raw)(folder)


LISTED = {"many pairs": (12_000, pairs), "one page many times": (3_001, columns)}
PASTED = {
    "many numbers": "1\n" * 300_000,
    "too much": "1 " * 500_001,
    "brackets": "[" * 1_000_000,
    "pairs of brackets": "[]" * 500_000,
    "rows of unequal length": "[1][1,2]" * 125_000,
    "words of an array": "array(" + ", dtype=" * 120_000,
    "white space": "array(1," + " " * 900_000 + "x",
    "words": "1e" * 500_000,
    "dots": "." * 1_000_000,
}


def measured(tasks):
    """What each task of tests.security.listing came to."""
    child = subprocess.run(
        [sys.executable, "-m", "tests.security.listing"],
        input=json.dumps(tasks),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    return [json.loads(line) for line in child.stdout.splitlines()]


def test_what_is_only_strange_is_listed_at_once(tmp_path):
    for count, make in LISTED.values():
        folder = tmp_path / str(count)
        folder.mkdir()
        (said,) = measured([["list", str(make(folder))]])
        assert (said["count"], said["words"]) == (count, "")
        little(said)


def test_hostile_text_is_refused_or_read_at_once():
    said = measured([["paste", text] for text in PASTED.values()])
    for name, one in zip(PASTED, said, strict=True):
        assert (one["count"] > 0) == (name == "many numbers") != bool(one["words"]), name
        assert len(one["words"]) < 400, name
        little(one)


def damaged_models(t, folder):
    """A model of zeros, and models of which one list claims to be longer than all of the file."""
    tensors = [("w", 9, (2, 2), bytes(4), ([0.5, 2], [0, 1], 0))]
    raw = model(t, folder / "good.tflite", tensors, inputs=(0, 0)).read_bytes()
    yield raw[:8] + bytes(MIB)
    for at in range(8, len(raw) - 4, 4):
        if 0 < int.from_bytes(raw[at : at + 4], "little") < 9:
            yield raw[:at] + (2**31 - 1).to_bytes(4, "little") + raw[at + 4 :]
            yield raw[:at] + (2**22).to_bytes(4, "little") + raw[at + 4 :] + bytes(5 * MIB)


def test_models_of_tensorflow_lite_that_lie(tmp_path):
    t = pytest.importorskip("tflite", reason="the optional tflite package is not installed")
    files = {}
    for at, raw in enumerate(damaged_models(t, tmp_path)):
        files[at] = ("L24", "a.tflite", written(f"{at}.tflite", raw)(tmp_path))
    said = opened(files).values()
    for one in said:
        assert one["code"] in (None, "L24", "L12")
        little(one)
    assert sum(one["code"] == "L24" for one in said) > len(files) / 4
