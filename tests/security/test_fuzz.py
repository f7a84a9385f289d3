"""Files altered at random: nothing but a QvizError may come out, and soon."""

import io
import random
from collections import Counter

import numpy as np
import onnx
import pyarrow as pa
import pyarrow.parquet
import pytest
import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from tests.security.builders import checkpoint
from tests.security.test_limits import SECONDS, opened

KINDS = ("npy", "npz", "safetensors", "pt", "onnx", "csv", "parquet")
FILES = 290  # of each kind, over 2,000 in all


def npy():
    stream = io.BytesIO()
    np.save(stream, np.arange(24, dtype="<f4").reshape(4, 6))
    return stream.getvalue()


def npz(save):
    stream = io.BytesIO()
    save(stream, w=np.arange(24.0), b=np.ones(3, np.float16), z=np.ones(2, complex))
    return stream.getvalue()


STATE = {
    "layer.weight": torch.arange(24.0).reshape(4, 6),
    "layer.bias": torch.ones(4, dtype=torch.bfloat16),
    "count": torch.tensor(3),
}


def quantized():
    return torch.quantize_per_channel(
        torch.ones(4, 2), torch.full((4,), 0.1), torch.zeros(4), 0, torch.qint8
    )


def graph():
    """Weights as initializers and in a Constant, and codes with their scale and zero point."""
    made = onnx.numpy_helper.from_array
    weights = {"w": np.ones((4, 3), np.float32), "q": np.arange(-6, 6, dtype=np.int8)}
    weights |= {"scale": np.float32(0.1), "zero": np.int8(3)}
    nodes = [
        onnx.helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["r"]),
        onnx.helper.make_node("Constant", [], ["c"], value=made(np.arange(5.0), "c")),
    ]
    tensors = [made(np.asarray(x), name) for name, x in weights.items()]
    return onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [], [], tensors))


def parquet():
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"a": [1.0, 2.5, -3.0], "n": [1, 2, 3]}), stream)
    return stream.getvalue()


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """Small good files of each kind, as bytes."""
    folder = tmp_path_factory.mktemp("seeds")
    zipped = checkpoint(folder / "a.pt", lambda: {"state": STATE, "q": quantized()})
    legacy = checkpoint(folder / "b.pt", STATE, _use_new_zipfile_serialization=False)
    return {
        "npy": [npy()],
        "npz": [npz(np.savez), npz(np.savez_compressed)],
        "safetensors": [safetensors.torch.save(STATE)],
        "pt": [zipped.read_bytes(), legacy.read_bytes()],
        "onnx": [graph().SerializeToString()],
        "csv": [b"a,b\n1,2.5\n-3,4e2\n0,7\n", b"1;2,5\n3;4,25\n"],
        "parquet": [parquet()],
    }


def flip(raw, rng):
    at = rng.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :]


def truncate(raw, rng):
    return raw[: rng.randrange(len(raw))]


def splice(raw, rng):
    start, length, at = (rng.randrange(len(raw)) for _ in range(3))
    return raw[:at] + raw[start : start + min(length, 64)] + raw[at:]


def lengthen(raw, rng):
    """Write an extreme number over four bytes, as an edited length field would have it."""
    at = rng.randrange(max(1, len(raw) - 4))
    return raw[:at] + rng.choice([b"\0\0\0\0", b"\xff" * 4, b"\0\0\0\x7f"]) + raw[at + 4 :]


def altered(seeds, kind, count, folder):
    """So many files of a kind, each altered in one to three places: name -> row for ``opened``."""
    rng = random.Random(kind)
    files = {}
    for number in range(count):
        raw = rng.choice(seeds[kind])
        for _ in range(rng.randint(1, 3)):
            raw = rng.choice([flip, flip, truncate, splice, lengthen])(raw, rng) or b"\0"
        path = folder / f"{number}.{kind}"
        path.write_bytes(raw)
        files[path.name] = ("", path.name, path)
    return files


@pytest.fixture(scope="module")
def outcomes(seeds, tmp_path_factory):
    """What became of 2,030 altered files, opened and read whole in one child with limits."""
    folder = tmp_path_factory.mktemp("altered")
    files = {}
    for kind in KINDS:
        files |= altered(seeds, kind, FILES, folder)
    return opened(files)


@pytest.mark.parametrize("kind", KINDS)
def test_altered_files_give_tensors_or_a_refusal(outcomes, kind):
    of_kind = {name: said for name, said in outcomes.items() if name.endswith(f".{kind}")}
    assert len(of_kind) == FILES
    raised = {name: said["raised"] for name, said in of_kind.items() if said["raised"]}
    assert raised == {}
    codes = Counter(said["code"] for said in of_kind.values())
    assert FILES / 4 < FILES - codes[None] < FILES  # the mutations bite, and not always
    assert "" not in codes  # each refusal has its code
    assert max(said["seconds"] for said in of_kind.values()) <= SECONDS


def test_altered_files_take_little_memory(outcomes):
    assert sum(said["memory"] for said in outcomes.values()) <= 400 * 2**20


def test_good_files_are_read_whole(tmp_path, seeds):
    for kind, files in seeds.items():
        for number, raw in enumerate(files):
            path = tmp_path / f"good{number}.{kind}"
            path.write_bytes(raw)
            source = open_file(path)
            assert source.names and source.skipped == {}
            for name in source:
                source[name]


def test_what_the_safetensors_library_refuses_is_refused(tmp_path, seeds):
    rng = random.Random(1)
    (good,) = seeds["safetensors"]
    length = int.from_bytes(good[:8], "little")
    path = tmp_path / "a.safetensors"
    differ = 0
    for _ in range(200):
        header = flip(good[8 : 8 + length], rng)
        path.write_bytes(good[:8] + header + good[8 + length :])
        try:
            with safe_open(path, framework="numpy"):
                pass
        except SafetensorError:
            differ += 1
            with pytest.raises(RefusedFile):
                open_file(path)
    assert differ > 50
