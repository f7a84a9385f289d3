"""Safetensors: a header of names, types and offsets, then the bytes, which are mapped."""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.arrays import mapped, mapped_tensor
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found
from qviz.sources.pairs import add_pairs

SOURCE = Source("safetensors", "format", "0.8")
LENGTH = struct.Struct("<Q")  # of the header, at the very start
LONGEST = 8 * 2**20  # bytes of a header: some 60,000 tensors
_NUMPY = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "C64": "<c8", "BOOL": "|b1"},
    **{"I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1"},
    **{"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1"},
}
_TORCH = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}


@dataclass(frozen=True)
class _Stored:
    """One entry of the header; ``offset`` counts from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int


def read_entries(file: File) -> dict[str, _Stored]:
    """Entries of the header by name, checked.

    The format's own library goes first: it refuses overlaps, gaps, sizes that do not fit the
    shape, trailing bytes, and headers that are too long, too deep or cut. It lets a name occur
    twice, which is refused here.
    """
    with file.path.open("rb") as stream:
        (length,) = LENGTH.unpack(stream.read(LENGTH.size))
        if length > LONGEST:
            raise _damaged(file, f"Its header claims {length} bytes; {LONGEST} are allowed.")
        _gate(file)
        text = stream.read(length).decode()
    try:
        header = json.loads(text, object_pairs_hook=partial(_once, file))
    except ValueError as error:  # a number of thousands of digits in a field nobody reads
        raise _damaged(file, "Its header is not plain JSON.") from error
    header.pop("__metadata__", None)
    start = LENGTH.size + length
    return {
        name: _Stored(entry["dtype"], tuple(entry["shape"]), start + first, last - first)
        for name, entry in header.items()
        for first, last in [entry["data_offsets"]]
    }


def _gate(file: File) -> None:
    import safetensors

    try:
        with safetensors.safe_open(file.path, framework="numpy"):
            pass
    except safetensors.SafetensorError as error:
        reason = str(error).rpartition("header: ")[2]
        raise _damaged(file, f"Its header does not hold: {reason[:160]}.") from error


def _once(file: File, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise _damaged(file, f"Its header names {twice[:80]!r} twice.")
    return found


def _damaged(file: File, why: str) -> RefusedFile:
    return RefusedFile(f"{file.shown} is damaged.", why, "Save or download it again.", code="L11")


@LOADERS.register("safetensors", title="Safetensors", source=SOURCE)
class SafetensorsLoader(Loader):
    """All tensors of one file. bfloat16 and float8 become torch tensors, the others NumPy."""

    suffixes = (".safetensors",)

    def matches(self, file: File) -> bool:
        return file.head[LENGTH.size : LENGTH.size + 1] == b"{"

    def open(self, file: File) -> TensorSource:
        contents = listed(file)
        add_pairs(contents)
        return contents.source()


def listed(file: File) -> Contents:
    """The tensors of a file, each by itself."""
    contents = Contents(file, "L11")
    for name, stored in read_entries(file).items():
        if stored.dtype in _NUMPY:
            contents.add(_found(name, stored, np.dtype(_NUMPY[stored.dtype]).name, file))
        elif stored.dtype in _TORCH:
            contents.add(_found(name, stored, _TORCH[stored.dtype], file))
        else:
            contents.skip(name, _unsupported(name, stored.dtype))
    return contents


def _found(name: str, stored: _Stored, dtype: str, file: File) -> Found:
    view: Callable[..., Any] = _numpy_view if stored.dtype in _NUMPY else _torch_view
    return Found(name, stored.shape, dtype, partial(view, file, stored))


def _numpy_view(file: File, stored: _Stored) -> np.ndarray:
    return mapped(file, stored.offset, np.dtype(_NUMPY[stored.dtype]), stored.shape)


def _torch_view(file: File, stored: _Stored) -> Any:
    """The mapped bytes as a tensor of a type that NumPy lacks."""
    return mapped_tensor(file, _TORCH[stored.dtype], stored.offset, stored.nbytes, stored.shape)


def _unsupported(name: str, dtype: str) -> RefusedFile:
    return RefusedFile(
        f"{name} has elements of type {dtype}.",
        f"Type {dtype} cannot be read.",
        "Convert it to float32 or bfloat16.",
        code="L12",
    )
