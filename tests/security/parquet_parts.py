"""Parquet files written by hand: footers and page headers may claim what they like."""

import struct

I32, I64, TEXT, LIST, RECORD = 5, 6, 8, 9, 12
DOUBLE, REQUIRED, PLAIN, RLE, ZSTD = 5, 0, 0, 3, 6
BLOCK = 2**17  # bytes of a block of zstd, at most


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def value(kind, said):
    if kind in (I32, I64):
        return varint(said << 1 if said >= 0 else (-said << 1) - 1)
    if kind == TEXT:
        return varint(len(said)) + said
    if kind == RECORD:
        return record(*said)
    inner, entries = said
    head = bytes([len(entries) << 4 | inner]) if len(entries) < 15 else bytes([0xF0 | inner])
    head += b"" if len(entries) < 15 else varint(len(entries))
    return head + b"".join(value(inner, entry) for entry in entries)


def record(*fields):
    """A record of (number, kind, value), numbers ascending."""
    out, last = b"", 0
    for number, kind, said in fields:
        out += bytes([number - last << 4 | kind]) + value(kind, said)
        last = number
    return out + b"\0"


def zstd_zeros(size):
    """So many zeros as a frame of zstd: four bytes for each 128 KiB."""
    frame = struct.pack("<IBQ", 0xFD2FB528, 0xE0, size)  # one segment, its size in eight bytes
    blocks = size // BLOCK
    for at in range(blocks):
        frame += (BLOCK << 3 | 1 << 1 | (at == blocks - 1)).to_bytes(3, "little") + b"\0"
    return frame


def page(values, becomes, data):
    """A page of plain numbers."""
    inner = ((1, I32, values), (2, I32, PLAIN), (3, I32, RLE), (4, I32, RLE))
    head = record((1, I32, 0), (2, I32, becomes), (3, I32, len(data)), (5, RECORD, inner))
    return head + data


def parquet(rows, pages, values=None, names=(b"a",)):
    """A file whose columns, all float64, lead to the same pages."""
    values = rows if values is None else values
    leaves = [((1, I32, DOUBLE), (3, I32, REQUIRED), (4, TEXT, name)) for name in names]
    root = ((4, TEXT, b"schema"), (5, I32, len(names)))
    size = len(pages)
    chunks = []
    for name in names:
        meta = (
            *((1, I32, DOUBLE), (2, LIST, (I32, [PLAIN])), (3, LIST, (TEXT, [name]))),
            *((4, I32, ZSTD), (5, I64, values), (6, I64, size), (7, I64, size), (9, I64, 4)),
        )
        chunks.append(((2, I64, 4), (3, RECORD, meta)))
    group = ((1, LIST, (RECORD, chunks)), (2, I64, size), (3, I64, rows))
    footer = record(
        *((1, I32, 1), (2, LIST, (RECORD, [root, *leaves])), (3, I64, rows)),
        (4, LIST, (RECORD, [group])),
    )
    return b"PAR1" + pages + footer + struct.pack("<I4s", len(footer), b"PAR1")
