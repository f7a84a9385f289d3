"""Stored tensors of a model as arrays: mapped where they lie plain, else decoded one by one."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from qviz.errors import RefusedFile
from qviz.sources.arrays import from_ml_dtypes, mapped, mapped_tensor
from qviz.sources.file import File
from qviz.sources.found import Found
from qviz.sources.onnx.records import Numbers, Stored
from qviz.sources.onnx.wire import CODE, Wire, varints

_TYPES = {  # number in the format: element type here
    **{1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64"},
    **{9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64"},
    **{14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8_e4m3fn"},
    **{18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz"},
    **{21: "uint4", 22: "int4", 23: "float4_e2m1fn", 25: "uint2", 26: "int2"},
}
_ODD = {0: "none", 8: "text", 24: "float8_e8m0fnu", 27: "float6_e2m3fn", 28: "float6_e3m2fn"}
_BITS = {"bool": 8, "bfloat16": 16, "float4_e2m1fn": 4, "int4": 4, "uint4": 4, "int2": 2}
_BITS |= {"uint2": 2}
_WIDER = {"int4": "int8", "uint4": "uint8", "int2": "int8", "uint2": "uint8"}  # held in whole bytes
_WIDER |= {"float4_e2m1fn": "float32"}
_TENSORS = ("bfloat16", "float8_")  # types that stay torch tensors
_FLOAT, _INT32, _INT64, _DOUBLE, _UINT64 = 4, 5, 7, 10, 11
_FIXED = {_FLOAT: 4, _DOUBLE: 8}  # bytes of an element of typed data; the others vary


def element_type(stored: Stored | Numbers) -> str:
    """Name of the element type as the file has it: ``float32``, ``int4`` ..."""
    return stored.kind if isinstance(stored, Numbers) else _TYPES.get(stored.type, "")


def found_in(file: File, wire: Wire, name: str, stored: Stored | Numbers) -> Found:
    """The tensor, to be read later. Nothing is allocated before its size was held to its bytes.

    Raises
    ------
    RefusedFile
        L10 text, L12 a type that cannot be read, L15 fewer or more bytes than the shape needs.
    """
    if isinstance(stored, Numbers):
        shape = () if stored.single else (stored.size,)
        return Found(name, shape, stored.kind, partial(_numbers, file, stored), "in a node")
    kind, shape = element_type(stored), tuple(stored.dims)
    if not kind:
        raise _unreadable(name, stored.type)
    if min(shape, default=0) < 0 or not _fits(wire, stored, kind):
        why = f"It claims {prod(shape)} elements of type {kind}, which its bytes do not hold."
        raise RefusedFile(f"{name} is damaged.", why, "Export it again.", code=CODE)
    about = f"Stored as {kind}." if kind in _WIDER else ""
    read = partial(read_stored, file, stored, kind, shape)
    return Found(name, shape, _WIDER.get(kind, kind), read, about)


def read_stored(file: File, stored: Stored, kind: str, shape: tuple[int, ...]) -> Any:
    """The elements of one tensor; no other byte of the file is read."""
    if stored.raw is not None and kind not in _WIDER:
        offset, end = stored.raw
        if kind.startswith(_TENSORS):
            return mapped_tensor(file, kind, offset, end - offset, shape)
        return mapped(file, offset, np.dtype(kind).newbyteorder("<"), shape)
    import onnx

    try:
        tensor = onnx.TensorProto.FromString(_bytes(file, *stored.span))
        array = onnx.numpy_helper.to_array(tensor).reshape(shape)
    except (TypeError, ArithmeticError, LookupError) as error:
        raise ValueError("its bytes do not fit its type") from error
    return array.astype(_WIDER[kind]) if kind in _WIDER else from_ml_dtypes(array, kind)


def _numbers(file: File, stored: Numbers) -> np.ndarray:
    import onnx

    attribute = onnx.AttributeProto.FromString(_bytes(file, *stored.span))
    if stored.single:
        return np.array(attribute.f if stored.kind == "float32" else attribute.i, stored.kind)
    return np.array(attribute.floats or attribute.ints, stored.kind).reshape(stored.size)


def _bytes(file: File, start: int, end: int) -> bytes:
    with file.path.open("rb") as stream:
        stream.seek(start)
        return stream.read(end - start)


def _fits(wire: Wire, stored: Stored, kind: str) -> bool:
    """Whether exactly as many elements are stored as the shape says."""
    n, bits = prod(stored.dims), _bits(kind)
    if stored.raw is not None:
        return stored.raw[1] - stored.raw[0] == -(-n * bits // 8)
    there = stored.loose
    for number, (start, end) in stored.typed:
        fixed = _FIXED.get(number)
        there += (end - start) // fixed if fixed else varints(wire.data[start:end])
    parts = 2 if kind.startswith("complex") else 1
    return there == (-(-n * bits // 8) if bits < 8 else n * parts)


def _bits(kind: str) -> int:
    if kind.startswith("float8"):
        return 8
    return _BITS.get(kind) or 8 * np.dtype(kind).itemsize


def _unreadable(name: str, number: int) -> RefusedFile:
    kind = _ODD.get(number, f"number {number}")
    if kind == "text":
        return RefusedFile(f"{name} is text.", "Text has no range.", "Leave it out.", code="L10")
    why = f"Type {kind} cannot be read."
    return RefusedFile(f"{name} is skipped.", why, "Convert it to float32.", code="L12")
