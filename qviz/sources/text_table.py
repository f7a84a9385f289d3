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
COMMENTS = re.compile(rb"(?:[ \t]*+#[^\n]*+\n)++")  # leading lines of them


@dataclass(frozen=True, eq=False)
class Table:
    """Cells row by row; ``names`` are those of a header, else empty.

    ``separator`` parts the cells of a row.
    """

    cells: np.ndarray
    names: tuple[str, ...]
    separator: str


def read_table(raw: bytes, shown: str) -> Table:
    """The numbers of a table: int64 where all are whole and fit, else float64.

    Separators are tab, semicolon, comma or spaces, found from the first line; with semicolons or
    tabs a comma may mark decimals. Leading lines with # are comments. A first line without numbers
    is a header; so is the last comment where it names as many columns, several, as there are.

    Raises
    ------
    RefusedFile
        L22: a cell that is no number, or rows of unequal length; the first place is named.
    """
    raw = raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    raw = _single(raw, b"\n").strip(b" \n")
    comments = COMMENTS.match(raw)
    said = comments[0] if comments else b""
    raw = raw[len(said) :]
    first, _, rest = raw.partition(b"\n")
    separator = _separator(first, rest[:PEEK])
    names = _header(first, separator)
    body = rest if names else raw
    if not body:
        raise refusal(shown, "It has a header and no row.", "Add a row of numbers.")
    if separator == SPACE:
        body = _single(body, SPACE).replace(b" \n", b"\n").replace(b"\n ", b"\n")
        body = _single(body, b"\n").strip()
    above = said.count(b"\n") + bool(names)
    columns = _columns(body, separator, above, shown)
    if names and len(names) != columns:
        raise _misnamed(len(names), columns, _decimals(body, separator), shown)
    comma = separator in (b";", b"\t") and b"," in body and b"." not in body
    flat = _cells(body, separator, comma)
    cells = _numbers(flat, columns, above, shown).reshape(-1, columns)
    return Table(cells, names or _commented(said, separator, columns), separator.decode())


def _commented(said: bytes, separator: bytes, columns: int) -> tuple[str, ...]:
    """Names of several columns in the last comment, as NumPy writes them."""
    last = said[:-1].rpartition(b"\n")[2]
    names = _header(last.lstrip(b" \t"), separator) if columns > 1 else ()
    return names if len(names) == columns else ()


def _misnamed(names: int, columns: int, do: str, shown: str) -> RefusedFile:
    named = f"{names} column" if names == 1 else f"{names} columns"
    why = f"Its header names {named}; its rows have {columns}."
    return refusal(shown, why, do or "Name every column, or none.")


def _decimals(body: bytes, separator: bytes) -> str:
    """What to do where commas may mark decimals; empty where they cannot."""
    if separator != b"," or b"." in body:
        return ""
    return "If its commas mark decimals, write points, or part the cells of a row by semicolons."


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


def _columns(body: bytes, separator: bytes, above: int, shown: str) -> int:
    """Cells in each row. Raises RefusedFile where rows differ."""
    marks = np.frombuffer(body, np.uint8)
    starts = np.append(0, np.flatnonzero(marks == ord("\n")) + 1)
    counts = np.add.reduceat(marks == separator[0], starts, dtype=np.int64) + 1
    odd = np.flatnonzero(counts != counts[0])
    if odd.size:
        at = int(odd[0])
        row, cells = at + 1 + above, counts[at]
        why = f"Row {row} has {cells} {'cell' if cells == 1 else 'cells'}, the first {counts[0]}."
        do = _decimals(body, separator) if {cells, counts[0]} == {1, 2} else ""
        raise refusal(shown, why, do or "Give every row as many cells.")
    return int(counts[0])


def _numbers(flat: bytes, columns: int, above: int, shown: str) -> np.ndarray:
    if not re.search(rb"[^0-9\n +-]", flat):
        with contextlib.suppress(ValueError):  # beyond 64 bits: float64 below
            return _parsed(flat, "int64")
    try:
        values = _parsed(flat, "float64")
    except ValueError as error:
        named = re.search(r"Row #(\d+)", str(error))
        at = int(named.group(1)) - 1 if named else 0
        raise _no_number(flat, columns, above, shown, at) from error
    beyond = np.isinf(values)
    if beyond.any():
        marks = np.frombuffer(flat, np.uint8)
        starts = np.append(0, np.flatnonzero(marks == ord("\n")) + 1)[: values.size]
        beyond &= np.logical_or.reduceat((marks >= ord("0")) & (marks <= ord("9")), starts)
    if beyond.any():  # written as a number, not as infinity
        raise _no_number(flat, columns, above, shown, int(beyond.argmax()))
    return values


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


def _no_number(flat: bytes, columns: int, above: int, shown: str, at: int) -> RefusedFile:
    """The first cell that is no number, or beyond float64, by row and column."""
    ends = np.flatnonzero(np.frombuffer(flat, np.uint8) == ord("\n"))
    start = int(ends[at - 1]) + 1 if at else 0
    cell = flat[start : start + 400].partition(b"\n")[0].decode("utf-8", "replace").strip()
    row, column = divmod(at, columns)
    where = f"Row {row + 1 + above}, column {column + 1}"
    what = "lies beyond float64" if NUMBER.fullmatch(cell) else "is no number"
    why = f"{where} says {cell[:40]!r}, which {what}." if cell else f"{where} is empty."
    return refusal(shown, why, "Leave it out, or write NaN where a value is missing.")


def refusal(shown: str, why: str, do: str) -> RefusedFile:
    """The refusal of a text that is no table of numbers (L22)."""
    return RefusedFile(f"{shown} is not read as a table.", why, do, code=CODE)
