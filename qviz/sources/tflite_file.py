"""TensorFlow Lite models: stored tensors with their quantization, by way of the tflite package."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from qviz.errors import QvizError, RefusedFile
from qviz.registry import Source
from qviz.sources.arrays import mapped, mapped_tensor
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.codes import VALUES, Scaled, scaled
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found

SOURCE = Source("TensorFlow Lite", "schema.fbs", "3")
IDENTIFIER = b"TFL3"
CODE = "L24"
MOST = 100_000  # tensors and operations walked through
LONGEST = 2**16  # bytes of a name
_TYPES = {
    **{0: "float32", 1: "float16", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16"},
    **{8: "complex64", 9: "int8", 10: "float64", 11: "complex128", 12: "uint64", 15: "uint32"},
    **{16: "uint16", 17: "int4", 18: "bfloat16"},
}
_ROLES = {3: (1, 2), 4: (1, 2), 9: (1, 2), 67: (1, 3)}  # operation: its weight and bias inputs
_BROKEN = (struct.error, IndexError, TypeError, ValueError, OverflowError, AttributeError)


@LOADERS.register("tflite", title="TensorFlow Lite model (.tflite)", source=SOURCE)
class TfliteLoader(Loader):
    """Every tensor that has stored elements; needs the tflite package."""

    suffixes = (".tflite",)

    def matches(self, file: File) -> bool:
        return file.head[4:8] == IDENTIFIER

    def open(self, file: File) -> TensorSource:
        contents = Contents(file, CODE)
        try:
            _gather(contents, _model(file))
        except _BROKEN as error:
            why = "Its records do not fit together."
            raise _refusal(file.shown, why, "Convert or download it again.") from error
        return contents.source()


def _model(file: File) -> Any:
    try:
        import tflite
    except ImportError as error:
        why = "TensorFlow Lite models need the tflite package, which is not installed."
        do = "Run: python -m pip install tflite==2.18.0, or save the weights as .npz."
        raise RefusedFile(f"{file.shown} is not read.", why, do, code=CODE) from error
    return tflite.Model.GetRootAs(np.memmap(file.path, np.uint8, "r"))


def _gather(contents: Contents, model: Any) -> None:
    left = MOST
    for at in range(_length(contents.file, model.SubgraphsLength())):
        graph = model.Subgraphs(at)
        tensors, operators = graph.TensorsLength(), graph.OperatorsLength()
        left -= tensors + operators + 1
        if left < 0:
            raise ValueError("more tensors than a model has")
        roles = _roles(model, graph, operators)
        for index in range(tensors):
            _add(contents, model, graph.Tensors(index), roles.get(index, "unknown"))


def _length(file: File, claimed: int) -> int:
    """A length of a list of records, each of which takes 4 bytes at least."""
    if claimed > file.size // 4:
        raise ValueError("a list is longer than the file")
    return claimed


def _roles(model: Any, graph: Any, operators: int) -> dict[int, str]:
    found: dict[int, str] = {}
    for at in range(operators):
        operator = graph.Operators(at)
        code = model.OperatorCodes(operator.OpcodeIndex())
        places = _ROLES.get(code.BuiltinCode(), ())
        for place, role in zip(places, ("weight", "bias"), strict=False):
            if place < operator.InputsLength():
                found.setdefault(operator.Inputs(place), role)
    return found


def _add(contents: Contents, model: Any, tensor: Any, role: str) -> None:
    buffer = model.Buffers(tensor.Buffer())
    size = buffer.DataLength() or buffer.Size()
    if not size:
        return  # an activation: computed, not stored
    raw = tensor.Name() or b""
    if len(raw) > LONGEST:
        raise ValueError("a name is longer than names are")
    name = raw.decode("utf-8", "replace") or "unnamed"
    try:
        contents.add(_found(contents, tensor, name, _place(buffer), size, role))
    except RefusedFile as refusal:
        contents.skip(name, refusal)


def _place(buffer: Any) -> int:
    """Where the elements begin in the file."""
    field = buffer._tab.Offset(4)
    return buffer._tab.Vector(field) if field and buffer.DataLength() else buffer.Offset()


def _found(contents: Contents, tensor: Any, name: str, place: int, size: int, role: str) -> Found:
    file = contents.file
    dtype = _TYPES.get(tensor.Type())
    if dtype is None:
        why = f"Type number {tensor.Type()} cannot be read."
        raise _refusal(name, why, "Convert it to float32.", "L12")
    shape = tuple(int(n) for n in tensor.ShapeAsNumpy()) if tensor.ShapeLength() else ()
    bits = {"int4": 4, "bfloat16": 16}.get(dtype) or 8 * np.dtype(dtype).itemsize
    wanted = -(-prod(shape) * bits // 8)
    if min(shape, default=0) < 0 or size != wanted or place + size > file.size:
        raise _refusal(name, f"Its shape needs {wanted} bytes; {size} are there.", "Convert it.")
    found = Found(name, shape, dtype, _reader(file, dtype, place, size, shape), role=role)
    if dtype == "int4":
        found = replace(found, dtype="int8", about="Stored as int4.")
    try:
        return replace(found, qparams=_qparams(tensor.Quantization(), shape, dtype))
    except QvizError as error:
        why = f"{error.what} {error.why}".strip()
        contents.skip(name + VALUES, _refusal(name, why, error.do))
        return found


def _reader(
    file: File, dtype: str, place: int, size: int, shape: tuple[int, ...]
) -> Callable[[], Any]:
    if dtype == "int4":
        return partial(_int4, file, place, size, shape)
    if dtype == "bfloat16":
        return partial(mapped_tensor, file, dtype, place, size, shape)
    return partial(mapped, file, place, np.dtype(dtype).newbyteorder("<"), shape)


def _int4(file: File, place: int, size: int, shape: tuple[int, ...]) -> np.ndarray:
    """Two codes a byte, the first in the low half."""
    raw = mapped(file, place, np.dtype(np.int8), (size,))
    pairs = np.stack([np.left_shift(raw, 4) >> 4, raw >> 4], axis=1)
    return pairs.reshape(-1)[: prod(shape)].reshape(shape)


def _qparams(quantization: Any, shape: tuple[int, ...], dtype: str) -> Scaled | None:
    if quantization is None or not quantization.ScaleLength():
        return None
    scale = quantization.ScaleAsNumpy()
    zero = quantization.ZeroPointAsNumpy() if quantization.ZeroPointLength() else 0
    axis = quantization.QuantizedDimension() if shape else None
    return scaled(scale, zero, shape, axis, dtype=dtype)


def _refusal(what: str, why: str, do: str, code: str = CODE) -> RefusedFile:
    return RefusedFile(f"{what} is not read.", why, do, code=code)
