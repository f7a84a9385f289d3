"""Parquet tables: each numeric column is a tensor, and all of them a matrix where types agree."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found

SOURCE = Source("Apache Parquet", "file format", "2.12")
MAGIC = b"PAR1"
UNKNOWN = "unknown"  # a column called "b" is no bias
CODE = "L23"
COLUMNS = 10_000
LARGEST = 4 * 2**30  # bytes of all columns once they are unpacked
SMALL, RATIO = 64 * 2**20, 200  # below so many bytes, a file may unpack to more than this
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
        footer = _open(file)
        with footer:
            schema, rows = footer.schema_arrow, footer.metadata.num_rows
            _check(file, len(schema), rows)
            nulls = _nulls(footer, schema, rows)
        contents = Contents(file, CODE)
        columns = _columns(contents, schema, rows, nulls)
        types = {column.dtype for column in columns}
        if 1 < len(columns) == len(schema) and len(types) == 1:
            names, dtype = [column.name for column in columns], types.pop()
            read, about = partial(_matrix, file, names, dtype), "All columns side by side."
            shape = (rows, len(names))
            contents.add(Found(Path(file.shown).stem, shape, dtype, read, about, UNKNOWN))
        for column in columns:
            contents.add(column)
        return contents.source()


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
        raise _refusal(file.shown, why, "Save or download it again.") from error


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


def _nulls(table: Any, schema: Any, rows: int) -> dict[str, int]:
    """Empty places by column, counted where the columns are small; else they show when read.

    The footer counts them, too, but pyarrow ends the process where a column's entry is damaged.
    """
    import pyarrow

    pairs = zip(schema.names, map(str, schema.types), strict=True)
    numbers = [name for name, kind in pairs if kind in _TYPES]
    if 8 * rows * len(numbers) > SMALL:
        return {}
    try:
        columns = table.read(columns=numbers, use_threads=False)
    except (OSError, ValueError, pyarrow.ArrowException):
        return {}  # said when the column is opened
    return dict(zip(columns.column_names, (c.null_count for c in columns.columns), strict=True))


def _columns(contents: Contents, schema: Any, rows: int, nulls: dict[str, int]) -> list[Found]:
    """The columns of numbers; the others are skipped."""
    found = []
    for name, kind in zip(schema.names, map(str, schema.types), strict=True):
        if kind not in _TYPES:
            why = f"It holds {kind[:60]}, which is no number."
            contents.skip(name, _refusal(name, why, "Keep columns of numbers.", "L10"))
        elif nulls.get(name):
            contents.skip(name, _empty(name, nulls[name]))
        elif schema.names.count(name) > 1:
            why = "Several columns have this name."
            contents.skip(name, _refusal(name, why, "Give each its own."))
        else:
            read = partial(_column, contents.file, name)
            found.append(Found(name, (rows,), _TYPES[kind], read, role=UNKNOWN))
    return found


def _column(file: File, name: str) -> np.ndarray:
    with _open(file) as table:
        column = table.read(columns=[name], use_threads=False).column(0)
    if column.null_count:
        raise _empty(name, column.null_count)
    return np.asarray(column.to_numpy())


def _matrix(file: File, names: list[str], dtype: str) -> np.ndarray:
    columns = [_column(file, name) for name in names]
    return np.stack(columns, axis=1).astype(dtype, copy=False)


def _empty(name: str, count: int) -> RefusedFile:
    places = "place" if count == 1 else "places"
    why = f"It has {count} empty {places}, and an empty place is no number."
    return _refusal(name, why, "Fill them, or drop their rows.")


def _refusal(what: str, why: str, do: str, code: str = CODE) -> RefusedFile:
    return RefusedFile(f"{what} is not read.", why, do, code=code)
