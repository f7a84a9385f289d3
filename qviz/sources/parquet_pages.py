"""What the columns of a parquet file unpack to, by the headers of their pages alone.

Nothing is unpacked: the footer says where each column's pages lie, and before each page stands how
many bytes it is to become. Both are records in Thrift's compact protocol.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

from qviz.sources.file import File

FOOTER = 8 * 2**20  # bytes of a footer
RECORDS = 600_000  # entries of a footer, some 25 a piece; or of a column's page headers, 12 a page
TAIL = struct.Struct("<I4s")  # at the very end: the footer's length, the format's name
_DEPTH = 16  # of records within records
_PADDING = 100  # bytes beyond a piece that readers allow for: some writers counted wrong
_FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 2, 3, 7, 8, 9, 10, 12
_VALUES_IN = {0: 5, 3: 8}  # kind of a data page: the field whose first entry counts its values


_MISSHAPEN = (LookupError, TypeError, AttributeError)  # another kind of value than is due


class DamagedRecord(ValueError):
    """A record does not fit together, or there are too many."""


@dataclass(frozen=True)
class Piece:
    """The pages of one column in one row group: ``length`` bytes that hold so many ``values``."""

    values: int
    start: int
    length: int


class Weight(NamedTuple):
    """Bytes that pages claim to become; the entries of headers that were read to learn it."""

    nbytes: int
    records: int


def pieces_of(file: File) -> dict[str, list[Piece]]:
    """Where the pages of each column lie, by its path (``a``, ``list.element``).

    Raises
    ------
    DamagedRecord
        The footer is longer than 8 MiB, or none.
    """
    with file.path.open("rb") as stream:
        stream.seek(-TAIL.size, 2)
        length, _ = TAIL.unpack(stream.read(TAIL.size))
        if length > min(FOOTER, file.size - TAIL.size):
            raise DamagedRecord(f"The footer has {length} bytes; {FOOTER} are allowed.")
        stream.seek(-TAIL.size - length, 2)
        footer = _Records(stream.read(length)).record()
    found: dict[str, list[Piece]] = {}
    try:
        for chunk in (chunk for group in footer.get(4, []) for chunk in group[1]):
            path, piece = _piece(chunk[3])
            found.setdefault(path, []).append(piece)
    except _MISSHAPEN as error:
        raise DamagedRecord("A column's entry in the footer lacks a field.") from error
    return found


def _piece(said: dict[int, Any]) -> tuple[str, Piece]:
    path = b".".join(said[3]).decode("utf-8", "replace")
    start, dictionary = said[9], said.get(11, 0)
    start = dictionary if 0 < dictionary < start else start
    piece = Piece(said[5], start, said[7])
    if min(piece.values, piece.start, piece.length) < 0:
        raise DamagedRecord("A column's entry counts below 0.")
    return path, piece


def weight(file: File, pieces: list[Piece]) -> Weight:
    """What the pages of a column become, by their headers. Raises DamagedRecord."""
    with (
        file.path.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        records = _Records(data)
        try:
            nbytes = sum(_unpacked(records, piece, len(data)) for piece in pieces)
        except _MISSHAPEN as error:
            raise DamagedRecord("The header of a page lacks a field.") from error
    return Weight(nbytes, RECORDS - records.left)


def _unpacked(records: _Records, piece: Piece, size: int) -> int:
    """Walk the pages as a reader would: until all values are met, or the piece ends."""
    total, seen, end = 0, 0, min(piece.start + piece.length + _PADDING, size)
    records.at = piece.start
    while seen < piece.values and records.at < end:
        header = records.record()
        kind, becomes, takes = header[1], header[2], header[3]
        values = header[_VALUES_IN[kind]][1] if kind in _VALUES_IN else 0
        if min(becomes, takes, values) < 0:
            raise DamagedRecord("The header of a page counts below 0.")
        total, seen = total + becomes, seen + values
        records.at += takes
    return total


class _Records:
    """Reads records at ``at``: numbers, short texts, lists and records by field; no field twice."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self.data, self.at, self.left = data, 0, RECORDS

    def record(self, depth: int = 0) -> dict[int, Any]:
        """One record: field -> value."""
        found: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            field = field + step if step else self._number()
            if field in found:
                raise DamagedRecord("A record has a field twice.")
            found[field] = kind < _BYTE if kind <= _FALSE else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > _DEPTH:
            raise DamagedRecord("There are too many records.")
        if kind <= _BYTE:
            return self._byte()
        if kind < _DOUBLE:
            return self._number()
        if kind == _STRUCT:
            return self.record(depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth + 1)
        return self._bytes(kind)

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self.data) - self.at:
            raise DamagedRecord("A list is longer than the file.")
        return [self._value(head & 15, depth) for _ in range(count)]

    def _bytes(self, kind: int) -> bytes:
        if kind not in (_BINARY, _DOUBLE):
            raise DamagedRecord(f"A value is of kind {kind}.")
        length = self._varint() if kind == _BINARY else 8
        if length > len(self.data) - self.at:
            raise DamagedRecord("A text is longer than the file.")
        self.at += length
        return self.data[self.at - length : self.at]

    def _byte(self) -> int:
        if self.at >= len(self.data):
            raise DamagedRecord("The file ends inside a record.")
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise DamagedRecord("A number is too long.")

    def _number(self) -> int:
        """A signed number: the sign is the last bit."""
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
