"""A table of numbers in a text: all cells are read as one column, then cut into rows."""

from __future__ import annotations

import contextlib
import csv
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.errors import RefusedFile

CODE = "L22"
PEEK = 512  # bytes of the second line that tell spaces that part from spaces that pad
LONGEST = 2**16  # bytes of a header
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
WORD = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
SPACE = b" "


@dataclass(frozen=True, eq=False)
class Table:
    """Cells row by row; ``names`` are those of a header, else empty."""

    cells: np.ndarray
    names: tuple[str, ...]


def read_table(raw: bytes, shown: str) -> Table:
    """The numbers of a table: int64 where all are whole and fit, else float64.

    Separators are tab, semicolon, comma or spaces, found from the first line; with semicolons or
    tabs a comma may mark decimals. A first line without numbers is a header.

    Raises
    ------
    RefusedFile
        L22: a cell that is no number, or rows of unequal length; the first place is named.
    """
    raw = raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    raw = _single(raw, b"\n").strip(b" \n")
    first, _, rest = raw.partition(b"\n")
    separator = _separator(first.lstrip(b"# "), rest[:PEEK])
    names = _header(first, separator)
    body = rest if names else raw
    if not body:
        raise refusal(shown, "It has a header and no row.", "Add a row of numbers.")
    if separator == SPACE:
        body = _single(body, SPACE).replace(b" \n", b"\n").replace(b"\n ", b"\n")
        body = _single(body, b"\n").strip()
    columns = _columns(body, separator, bool(names), shown)
    if names and len(names) != columns:
        why = f"Its header names {len(names)} columns; its rows have {columns}."
        raise refusal(shown, why, "Name every column, or none.")
    comma = separator in (b";", b"\t") and b"," in body and b"." not in body
    flat = _cells(body, separator, comma)
    return Table(_numbers(flat, columns, bool(names), shown).reshape(-1, columns), names)


def _single(text: bytes, mark: bytes) -> bytes:
    """Each run of a mark as one of it; linear in the text, as a pattern would not be."""
    while mark * 2 in text:
        text = text.replace(mark * 2, mark)
    return text


def _cells(body: bytes, separator: bytes, comma: bool) -> bytes:
    """One cell a line, without quotes and with points for decimals."""
    flat = body.replace(separator, b"\n")
    quotes = flat.count(b'"')
    at_edges = flat.count(b'\n"') + flat.count(b'"\n') + flat.startswith(b'"') + flat.endswith(b'"')
    if quotes == at_edges:  # else one stands inside a cell, which is then no number
        flat = flat.replace(b'"', b"")
    return flat.replace(b",", b".") if comma else flat


def _separator(first: bytes, rest: bytes) -> bytes:
    """The separator; a comma where there is none, as in a single column."""
    for mark in (b"\t", b";", b","):
        if mark in first:
            return mark
    spaced = len(first.split()) > 1 and len(rest.partition(b"\n")[0].split()) != 1
    return SPACE if spaced else b","


def _header(first: bytes, separator: bytes) -> tuple[str, ...]:
    """The cells of a first line in which none is a number; or an index's empty one and names."""
    if len(first) > LONGEST:
        return ()
    line = first.decode("utf-8", "replace").lstrip("# ")
    try:
        cells = next(csv.reader([line], delimiter=separator.decode(), skipinitialspace=True))
    except csv.Error:
        return ()
    cells = [cell.strip() for cell in cells]
    numbers = [NUMBER.fullmatch(cell) or WORD.fullmatch(cell) for cell in cells]
    indexed = len(cells) > 1 and not cells[0]
    return () if not any(cells) or (any(numbers) and not indexed) else tuple(cells)


def _columns(body: bytes, separator: bytes, header: bool, shown: str) -> int:
    """Cells in each row. Raises RefusedFile where rows differ."""
    marks = np.frombuffer(body, np.uint8)
    starts = np.append(0, np.flatnonzero(marks == ord("\n")) + 1)
    counts = np.add.reduceat(marks == separator[0], starts, dtype=np.int64) + 1
    odd = np.flatnonzero(counts != counts[0])
    if odd.size:
        at = int(odd[0])
        row, cells = at + 1 + header, counts[at]
        why = f"Row {row} has {cells} {'cell' if cells == 1 else 'cells'}, the first {counts[0]}."
        raise refusal(shown, why, "Give every row as many cells.")
    return int(counts[0])


def _numbers(flat: bytes, columns: int, header: bool, shown: str) -> np.ndarray:
    if not re.search(rb"[^0-9\n +-]", flat):
        with contextlib.suppress(ValueError):  # beyond 64 bits: float64 below
            return _parsed(flat, "int64")
    try:
        return _parsed(flat, "float64")
    except ValueError as error:
        raise _no_number(flat, columns, header, shown, str(error)) from error


def _parsed(flat: bytes, kind: str) -> np.ndarray:
    import pyarrow
    import pyarrow.csv as table_reader

    reading = table_reader.ReadOptions(column_names=["cell"], use_threads=False)
    cells = table_reader.ParseOptions(delimiter="\x1f", quote_char=False, ignore_empty_lines=False)
    types: dict[str, Any] = {"cell": pyarrow.type_for_alias(kind)}
    how = table_reader.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False)
    flat += b"\n" * flat.endswith(b"\n")  # or an empty last cell would be overlooked
    table = table_reader.read_csv(pyarrow.py_buffer(flat), reading, cells, how)
    return table["cell"].to_numpy()


def _no_number(flat: bytes, columns: int, header: bool, shown: str, said: str) -> RefusedFile:
    """The first cell that is no number, by row and column."""
    named = re.search(r"Row #(\d+)", said)
    at = int(named.group(1)) - 1 if named else 0
    ends = np.flatnonzero(np.frombuffer(flat, np.uint8) == ord("\n"))
    start = int(ends[at - 1]) + 1 if at else 0
    cell = flat[start : start + 400].partition(b"\n")[0].decode("utf-8", "replace").strip()
    row, column = divmod(at, columns)
    where = f"Row {row + 1 + header}, column {column + 1}"
    why = f"{where} says {cell[:40]!r}, which is no number." if cell else f"{where} is empty."
    return refusal(shown, why, "Leave it out, or write NaN where a value is missing.")


def refusal(shown: str, why: str, do: str) -> RefusedFile:
    """The refusal of a text that is no table of numbers (L22)."""
    return RefusedFile(f"{shown} is not read as a table.", why, do, code=CODE)
