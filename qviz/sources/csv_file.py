"""Tables of numbers as text: the loader that knows them and gives their columns."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from qviz.registry import Source
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.contents import Contents
from qviz.sources.file import HEAD, File
from qviz.sources.found import Found
from qviz.sources.text_table import CODE, LONGEST, NUMBER, WORD, Table, read_table, refusal

SOURCE = Source("RFC 4180", "common format of CSV files", "2005")
LARGEST = 16 * 2**20  # bytes; each number takes 8 more in memory
COLUMNS = 256  # up to which a table with names gives each column as a tensor, too
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
OPENING = b"[{<("  # how JSON, markup and printed arrays begin
UNKNOWN = "unknown"  # a column called "b" is no bias


@LOADERS.register("csv", title="Table of numbers (.csv)", source=SOURCE)
class CsvLoader(Loader):
    """The table as a matrix, and each column that a header names; one column alone is a list."""

    suffixes = (".csv",)

    def matches(self, file: File) -> bool:
        head = _head(file).removeprefix(b"\xef\xbb\xbf")
        if CONTROL.search(head) or head.lstrip()[:1] in {bytes([c]) for c in OPENING}:
            return False
        try:
            text = head.decode()
        except UnicodeDecodeError as error:
            if len(head) < HEAD or error.start < len(head) - 4:
                return False
            text = head[: error.start].decode()
        lines = [line for line in text.splitlines() if line.strip()]
        lines = [line for line in lines if not line.lstrip().startswith("#")] or lines
        cells = re.split(r"[,;\s]+", " ".join(lines[:2]))
        cells = [cell.strip("\"'") for cell in cells]
        return any(NUMBER.fullmatch(cell) or WORD.fullmatch(cell) for cell in cells)

    def open(self, file: File) -> TensorSource:
        if file.size > LARGEST:
            why = f"It has {file.size} bytes of text; {LARGEST} are allowed."
            raise refusal(file.shown, why, "Save the numbers with numpy.save, or as .parquet.")
        table = read_table(file.path.read_bytes(), file.shown)
        contents, stem = Contents(file, CODE), Path(file.shown).stem
        cells = table.cells
        if cells.shape[1] == 1:
            name = table.names[0] if table.names else stem
            contents.add(_found(name, cells[:, 0], _rows(table)))
            return contents.source()
        contents.add(_found(stem, cells, _rows(table)))
        if len(table.names) <= COLUMNS:
            for at, name in enumerate(table.names):
                contents.add(_found(name or f"column {at + 1}", cells[:, at], f"column {at + 1}"))
        return contents.source()


def _head(file: File) -> bytes:
    """The first bytes; more where they are all one line that may be a header, or comments."""
    commented = file.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"#")
    if not commented and (b"\n" in file.head or not re.search(rb"[,;\t]", file.head)):
        return file.head
    with file.path.open("rb") as stream:
        return stream.read(LONGEST + HEAD)


def _rows(table: Table) -> str:
    """How many rows there are, and that a comma parted what may be meant as one number."""
    count = len(table.cells)
    rows = "1 row" if count == 1 else f"{count} rows"
    parted = table.separator == "," and table.cells.shape[1] == 2 and not table.names
    if not (parted and table.cells.dtype.kind == "i"):
        return rows
    return f"{rows}; the comma parts two columns: decimals need points."


def _found(name: str, array: np.ndarray, about: str) -> Found:
    return Found(name, array.shape, array.dtype.name, lambda: array, about, UNKNOWN)
