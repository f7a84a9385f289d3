"""Parquet tables: each numeric column is a tensor, and all of them a matrix where types agree."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found
from qviz.sources.parquet_pages import RECORDS, DamagedRecord, Piece, Weight, pieces_of, weight

SOURCE = Source("Apache Parquet", "file format", "2.12")
MAGIC = b"PAR1"
UNKNOWN = "unknown"  # a column called "b" is no bias
CODE = "L23"
COLUMNS = 10_000
LARGEST = 4 * 2**30  # bytes of all columns once they are unpacked
SMALL, RATIO = 64 * 2**20, 200  # below so many bytes, a file may unpack to more than this
PLACE = 17  # bytes of a number, at most: itself, once more in a dictionary, and how many repeat
LOOKED_THROUGH = 256 * 2**20  # bytes unpacked on opening, to find empty places
AGAIN = "Save or download it again."
STRINGS, CONTAINERS = 2**24, 2**20  # what the footer may hold: bytes of a text, items of a list
_TYPES = {
    **{"bool": "bool", "halffloat": "float16", "float": "float32", "double": "float64"},
    **{name: name for name in ("int8", "int16", "int32", "int64")},
    **{f"u{name}": f"u{name}" for name in ("int8", "int16", "int32", "int64")},
}


@LOADERS.register("parquet", title="Parquet table (.parquet)", source=SOURCE)
class ParquetLoader(Loader):
    """Columns are read one at a time, when their tensor is opened."""

    suffixes = (".parquet",)

    def matches(self, file: File) -> bool:
        return file.head.startswith(MAGIC)

    def open(self, file: File) -> TensorSource:
        with _open(file) as footer:
            schema, rows = footer.schema_arrow, footer.metadata.num_rows
            _check(file, len(schema), rows)
            pages = _Pages(file, rows)
            refused = _refused(footer, schema, pages)
        contents = Contents(file, CODE)
        columns = _columns(contents, schema, pages, refused)
        types = {column.dtype for column in columns}
        if 1 < len(columns) == len(schema) and len(types) == 1:
            names, dtype = [column.name for column in columns], types.pop()
            read, about = partial(_matrix, pages, names, dtype), "All columns side by side."
            shape = (rows, len(names))
            contents.add(Found(Path(file.shown).stem, shape, dtype, read, about, UNKNOWN))
        for column in columns:
            contents.add(column)
        return contents.source()


class _Pages:
    """The pages of a file's columns, weighed before any of them is unpacked."""

    def __init__(self, file: File, rows: int) -> None:
        self.file, self.rows = file, rows

    @cached_property
    def pieces(self) -> dict[str, list[Piece]]:
        """Where the pages lie. Raises RefusedFile."""
        try:
            return pieces_of(self.file)
        except DamagedRecord as error:
            raise _refusal(self.file.shown, str(error), AGAIN) from error

    def weigh(self, name: str) -> Weight:
        """What a column unpacks to. Raises RefusedFile where its numbers need fewer bytes."""
        pieces = self.pieces.get(name, [])
        values = sum(piece.values for piece in pieces)
        if values != self.rows:
            why = f"It has {values} values for {self.rows} rows."
            raise _refusal(name, why, AGAIN)
        try:
            found = weight(self.file, pieces)
        except DamagedRecord as error:
            raise _refusal(name, str(error), AGAIN) from error
        if found.nbytes > SMALL + PLACE * self.rows:
            why = f"Its {values} values would unpack to {found.nbytes} bytes."
            raise _refusal(name, why, AGAIN)
        return found


def _open(file: File) -> Any:
    """The footer alone, read by the format's own library."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        return parquet.ParquetFile(
            file.path,
            memory_map=True,
            thrift_string_size_limit=STRINGS,
            thrift_container_size_limit=CONTAINERS,
        )
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        why = "Its footer, which names the columns, cannot be read."
        raise _refusal(file.shown, why, AGAIN) from error


def _check(file: File, columns: int, rows: int) -> None:
    claimed, why = 8 * rows * max(columns, 1), ""
    if columns > COLUMNS:
        why = f"It has {columns} columns; {COLUMNS} are allowed."
    elif rows < 0 or claimed > LARGEST:
        why = f"Unpacked it would take {claimed} bytes; {LARGEST} are allowed."
    elif claimed >= SMALL and claimed > RATIO * file.size:
        why = f"It would unpack to over {RATIO} times its size."
    if why:
        raise _refusal(file.shown, why, "Save a part of it, or its numbers with numpy.save.")


def _refused(table: Any, schema: Any, pages: _Pages) -> dict[str, RefusedFile]:
    """Why columns are not read: what they would unpack to; empty places, if the table is small.

    The footer counts empty places, too, but pyarrow ends the process where a column's entry is
    damaged. In a large table both show when a column is read.
    """
    import pyarrow

    pairs = zip(schema.names, map(str, schema.types), strict=True)
    numbers = [name for name, kind in pairs if kind in _TYPES]
    if 8 * pages.rows * len(numbers) > SMALL:
        return {}
    nbytes = records = 0
    for name in numbers:
        try:
            found = pages.weigh(name)
        except RefusedFile as refusal:
            return {name: refusal}  # the others are weighed when they are read
        nbytes, records = nbytes + found.nbytes, records + found.records
        if nbytes > LOOKED_THROUGH or records > RECORDS:
            return {}
    try:
        columns = table.read(columns=numbers, use_threads=False)
    except (OSError, ValueError, pyarrow.ArrowException):
        return {}  # said when the column is opened
    counts = zip(columns.column_names, (c.null_count for c in columns.columns), strict=True)
    return {name: _empty(name, count) for name, count in counts if count}


def _columns(
    contents: Contents, schema: Any, pages: _Pages, refused: dict[str, RefusedFile]
) -> list[Found]:
    """The columns of numbers; the others are skipped."""
    found = []
    for name, kind in zip(schema.names, map(str, schema.types), strict=True):
        if kind not in _TYPES:
            why = f"It holds {kind[:60]}, which is no number."
            contents.skip(name, _refusal(name, why, "Keep columns of numbers.", "L10"))
        elif schema.names.count(name) > 1:
            why = "Several columns have this name."
            contents.skip(name, _refusal(name, why, "Give each its own."))
        elif name in refused:
            contents.skip(name, refused[name])
        else:
            read = partial(_column, pages, name)
            found.append(Found(name, (pages.rows,), _TYPES[kind], read, role=UNKNOWN))
    return found


def _column(pages: _Pages, name: str) -> np.ndarray:
    with _open(pages.file) as table:
        return _values(pages, table, name)


def _values(pages: _Pages, table: Any, name: str) -> np.ndarray:
    pages.weigh(name)
    column = table.read(columns=[name], use_threads=False).column(0)
    if column.null_count:
        raise _empty(name, column.null_count)
    return np.asarray(column.to_numpy())


def _matrix(pages: _Pages, names: list[str], dtype: str) -> np.ndarray:
    with _open(pages.file) as table:
        columns = [_values(pages, table, name) for name in names]
    return np.stack(columns, axis=1).astype(dtype, copy=False)


def _empty(name: str, count: int) -> RefusedFile:
    places = "place" if count == 1 else "places"
    why = f"It has {count} empty {places}, and an empty place is no number."
    return _refusal(name, why, "Fill them, or drop their rows.")


def _refusal(what: str, why: str, do: str, code: str = CODE) -> RefusedFile:
    return RefusedFile(f"{what} is not read.", why, do, code=code)
