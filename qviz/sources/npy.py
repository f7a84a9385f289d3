"""NumPy's own files: .npy, mapped, and .npz, an archive of them."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.arrays import mapped
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found
from qviz.sources.sidecar import add_with_sidecar

MAGIC = b"\x93NUMPY"
SOURCE = Source("NumPy enhancement proposal 1", "a simple file format for NumPy arrays", "1.0-3.0")
LONGEST = 10_000  # characters of a header; NumPy's own limit

# Read field by field, never evaluated: no parser to exhaust, no warning about odd literals.
_FIELDS = {
    "descr": re.compile(r"""['"]descr['"]\s*:\s*(?:['"]([^'"]*)['"]|\[)"""),
    "fortran_order": re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)"""),
    "shape": re.compile(r"""['"]shape['"]\s*:\s*\(([\d\s,L]*)\)"""),
}
_NUMBERS = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|c8|c16)")
_REASONS = {
    "O": ("L02", "Python objects", "Loading them would run code stored in the file."),
    "S": ("L10", "byte strings", "Text has no range."),
    "U": ("L10", "text", "Text has no range."),
    "M": ("L10", "dates", "Dates have no range to quantize."),
    "m": ("L10", "time spans", "Time spans have no range to quantize."),
    "V": ("L10", "raw bytes", "Their type was lost on saving, as happens to bfloat16."),
    "f": ("L10", "extended-precision floats", "Their layout differs between machines."),
    "c": ("L10", "extended-precision floats", "Their layout differs between machines."),
    "": ("L10", "structured records", "A record is no number."),
}


@dataclass(frozen=True)
class Header:
    """What a .npy header says; ``offset`` is where the elements begin."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: Literal["C", "F"]
    offset: int

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, in Python integers: a lie cannot overflow."""
        return prod(self.shape) * self.dtype.itemsize


def read_header(stream: IO[bytes], where: str) -> Header:
    """Read the header at the start of ``stream``; ``where`` is for messages.

    Raises
    ------
    RefusedFile
        L02 objects, L10 elements that are no numbers, L09 anything malformed.
    """
    start = stream.read(8)
    width = 2 if start[6:7] == b"\x01" else 4
    size = stream.read(width)
    if start[:6] != MAGIC or start[6:] not in (b"\1\0", b"\2\0", b"\3\0") or len(size) < width:
        raise _damaged(where, "It does not begin with a version that is known.")
    length = struct.unpack("<H" if width == 2 else "<I", size)[0]
    if length > LONGEST:
        raise _damaged(where, f"Its header claims {length} characters; {LONGEST} are allowed.")
    text = stream.read(length).decode("latin-1")
    if len(text) < length:
        raise _damaged(where, "It ends inside its header.")
    found = {name: pattern.findall(text) for name, pattern in _FIELDS.items()}
    if any(len(values) != 1 for values in found.values()):
        raise _damaged(where, "Its header must name descr, fortran_order and shape once each.")
    order: Literal["C", "F"] = "F" if found["fortran_order"][0] == "True" else "C"
    dtype = _dtype(found["descr"][0], where)
    return Header(dtype, _shape(found["shape"][0], where), order, 8 + width + length)


def _dtype(descr: str, where: str) -> np.dtype[Any]:
    if _NUMBERS.fullmatch(descr):
        return np.dtype(descr)
    kind = descr.lstrip("<>|=")[:1]
    odd = ("L09", f"elements of unknown type {descr[:20]!r}", "No such type is known.")
    code, what, why = _REASONS.get(kind, odd)
    raise RefusedFile(f"{where} holds {what}.", why, "Save an array of numbers.", code=code)


def _shape(text: str, where: str) -> tuple[int, ...]:
    try:
        return tuple(int(word.strip().rstrip("L")) for word in text.split(",") if word.strip())
    except ValueError as error:
        raise _damaged(where, "Its shape is not a list of whole numbers.") from error


def check_length(header: Header, size: int, where: str) -> int:
    """Bytes left over after the elements. Raises RefusedFile (L09) where ``size`` is too small."""
    left = size - header.offset - header.nbytes
    if left < 0:
        why = f"Its header claims {header.nbytes} bytes; {size - header.offset} are there."
        raise _damaged(where, why)
    return left


def _damaged(where: str, why: str) -> RefusedFile:
    return RefusedFile(f"{where} is damaged.", why, "Save or copy it again.", code="L09")


@LOADERS.register("npy", title="NumPy array (.npy)", source=SOURCE)
class NpyLoader(Loader):
    """One array, mapped: a file larger than memory opens at once."""

    suffixes = (".npy",)

    def matches(self, file: File) -> bool:
        return file.head.startswith(MAGIC)

    def open(self, file: File) -> TensorSource:
        with file.path.open("rb") as stream:
            header = read_header(stream, file.shown)
        left = check_length(header, file.size, file.shown)
        about = f"The {left} bytes after the array are not read." if left else ""
        contents = Contents(file, "L09")
        add_with_sidecar(
            contents,
            Found(
                Path(file.shown).stem,
                header.shape,
                header.dtype.name,
                lambda: mapped(file, header.offset, header.dtype, header.shape, header.order),
                about,
            ),
        )
        return contents.source()
