"""Protocol-buffer records walked where they lie: every length is held against what is left."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qviz.errors import RefusedFile

MOST = 1_000_000  # fields of a file; a graph of 20,000 nodes has some 300,000
CODE = "L15"
VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5
_WIDTH = {EIGHT: 8, FOUR: 4}
Field = tuple[int, int, int, int]  # number, kind, and start and end of the bytes or value and 0
Span = tuple[int, int]
Data = mmap.mmap | bytes


class Wire:
    """Walks the fields of records in ``data``; ``shown`` is for messages.

    Raises
    ------
    RefusedFile
        L15: a record that reaches beyond the one it lies in, an unknown kind of field, or more
        fields than a model has.
    """

    def __init__(self, data: Data, shown: str, most: int = MOST) -> None:
        self.data, self.shown, self._left = data, shown, most

    def fields(self, at: int, end: int) -> Iterator[Field]:
        """Fields of the record at [at, end)."""
        while at < end:
            self._left -= 1
            if self._left < 0:
                raise self.damaged("It has more parts than a model has.")
            key, at = self.varint(at, end)
            kind = key & 7
            if kind == VARINT:
                value, at = self.varint(at, end)
                yield key >> 3, kind, value, 0
                continue
            size = _WIDTH.get(kind)
            if kind == BYTES:
                size, at = self.varint(at, end)
            if size is None or size > end - at:
                raise self.damaged("A part of it reaches beyond its end.")
            yield key >> 3, kind, at, at + size
            at += size

    def record(self, at: int, end: int) -> Record:
        """The fields of the record at [at, end), by number."""
        groups: dict[int, list[Field]] = {}
        for field in self.fields(at, end):
            groups.setdefault(field[0], []).append(field)
        return Record(self, groups)

    def varint(self, at: int, end: int) -> tuple[int, int]:
        """The number at ``at``, and where it ends."""
        value = shift = 0
        while at < end and shift < 70:
            byte = self.data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
            shift += 7
        raise self.damaged("It ends inside a number.")

    def damaged(self, why: str) -> RefusedFile:
        """The refusal of the whole file."""
        do = "Export or download it again."
        return RefusedFile(f"{self.shown} is a damaged ONNX model.", why, do, code=CODE)


@dataclass(frozen=True, eq=False)
class Record:
    """Fields of one record by number; of a field that may stand once, the last counts."""

    wire: Wire
    groups: dict[int, list[Field]]

    def spans(self, number: int) -> list[Span]:
        """Places of what a field holds as bytes: texts, records, packed numbers."""
        return [(a, b) for _, kind, a, b in self.groups.get(number, ()) if kind == BYTES]

    def texts(self, number: int) -> list[str]:
        """What a field holds, as texts; what is no UTF-8 is replaced."""
        data = self.wire.data
        return [data[a:b].decode("utf-8", "replace") for a, b in self.spans(number)]

    def text(self, number: int) -> str:
        """The text of a field, empty without one."""
        return self.texts(number)[-1] if self.spans(number) else ""

    def loose(self, number: int) -> int:
        """How many elements of a list stand one by one."""
        return sum(kind != BYTES for _, kind, _, _ in self.groups.get(number, ()))

    def numbers(self, number: int) -> list[int]:
        """The whole numbers of a field, one by one or packed."""
        found: list[int] = []
        for _, kind, a, b in self.groups.get(number, ()):
            found += [signed(a)] if kind == VARINT else []
            at = a
            while kind == BYTES and at < b:
                value, at = self.wire.varint(at, b)
                found.append(signed(value))
        return found


def varints(raw: bytes) -> int:
    """How many varints a run of bytes holds: each ends with a byte below 128."""
    return int(np.count_nonzero(np.frombuffer(raw, np.uint8) < 128))


def signed(value: int) -> int:
    """A varint as the 64-bit integer it stands for."""
    return value - 2**64 if value >= 2**63 else value
