"""Files altered at random: nothing but a QvizError may come out, and soon."""

import io
import random

import numpy as np
import pytest
import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open

from qviz.errors import QvizError, RefusedFile
from qviz.sources.base import open_file
from tests.security.builders import checkpoint, quick

FILES = 75  # of each kind


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


def outcome(path):
    """Open the file and read all of it."""
    try:
        source = open_file(path)
        for name in source:
            source[name]
    except QvizError as error:
        assert error.what
        return error
    return source


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors", "pt"])
def test_altered_files_give_tensors_or_a_refusal(tmp_path, seeds, kind):
    rng = random.Random(kind)
    refused = 0
    for number in range(FILES):
        raw = rng.choice(seeds[kind])
        for _ in range(rng.randint(1, 3)):
            raw = rng.choice([flip, flip, truncate, splice, lengthen])(raw, rng) or b"\0"
        path = tmp_path / f"{number}.{kind}"
        path.write_bytes(raw)
        with quick():
            refused += isinstance(outcome(path), RefusedFile)
    assert FILES / 3 < refused <= FILES  # the mutations bite


def test_good_files_are_read_whole(tmp_path, seeds):
    for kind, files in seeds.items():
        for raw in files:
            path = tmp_path / f"good.{kind}"
            path.write_bytes(raw)
            assert not isinstance(outcome(path), QvizError)


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
