"""The bundled files as tests read them, without the code under test, and plain quantizers."""

import json
import math
from pathlib import Path

import numpy as np
import onnx
from safetensors.numpy import load_file

HERE = Path(__file__).parents[2] / "sample_data"
INDEX = json.loads((HERE / "index.json").read_text(encoding="utf-8"))
FILES = {entry["file"]: entry for entry in INDEX["files"]}


def load(name, folder=HERE):
    """Tensors of a file by name."""
    path = folder / name
    if path.suffix == ".npy":
        return {path.stem: np.load(path, allow_pickle=False)}
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            return dict(archive)
    if path.suffix == ".onnx":
        constants = onnx.load(path).graph.initializer
        return {value.name: onnx.numpy_helper.to_array(value) for value in constants}
    return load_file(path)


def says(tensor, file="teaching.npz"):
    """What the index says of a tensor, with an ordinary minus sign."""
    return FILES[file]["tensors"][tensor]["about"].replace("\N{MINUS SIGN}", "-")


def sqnr(x, y):
    return 10 * math.log10(np.sum(x**2) / np.sum((x - y) ** 2))


def symmetric(x, bits=8, axis=None, clip=None):
    """Fake-quantized x; the range is the largest magnitude, or clip."""
    others = None if axis is None else tuple(i for i in range(x.ndim) if i != axis)
    top = np.abs(x).max(others, keepdims=True) if clip is None else clip
    largest = 2 ** (bits - 1) - 1
    scale = np.maximum(top / largest, 1e-30)
    return np.clip(np.rint(x / scale), -largest, largest) * scale
