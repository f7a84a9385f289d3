from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from qviz.errors import RefusedFile
from qviz.sources import parquet_file, parquet_pages
from qviz.sources.base import open_file
from qviz.sources.file import File
from qviz.sources.parquet_pages import DamagedRecord, Piece, pieces_of, weight
from tests.security.parquet_parts import page, parquet, record, zstd_zeros

ROWS = 5000
WRITERS = [
    {},
    {"compression": "zstd", "data_page_version": "2.0", "row_group_size": 700},
    {"compression": "none", "use_dictionary": False, "data_page_size": 1000},
]


def file(path):
    return File(Path(path), Path(path).name)


@pytest.mark.parametrize("how", WRITERS)
def test_pieces_and_sizes_are_those_of_the_footer(tmp_path, how):
    x = np.random.default_rng(0).normal(size=ROWS).round(2)
    frame = {"a": x, "b": np.arange(ROWS), "lists": [[1, 2]] * ROWS, "words": ["x"] * ROWS}
    pd.DataFrame(frame).to_parquet(tmp_path / "t.parquet", **how)
    there = file(tmp_path / "t.parquet")
    footer = pq.ParquetFile(there.path).metadata
    pieces = pieces_of(there)
    assert set(pieces) == {"a", "b", "lists.list.element", "words"}
    for at, found in enumerate(pieces.values()):
        chunks = [footer.row_group(n).column(at) for n in range(footer.num_row_groups)]
        starts = [c.dictionary_page_offset or c.data_page_offset for c in chunks]
        assert [(p.values, p.start, p.length) for p in found] == [
            (c.num_values, start, c.total_compressed_size)
            for c, start in zip(chunks, starts, strict=True)
        ]
        claimed = weight(there, found)
        with_headers = sum(c.total_uncompressed_size for c in chunks)
        assert 0 < claimed.nbytes < with_headers  # which counts the headers, too
    assert open_file(there.path)["a"].tolist() == x.tolist()


def bomb(path, claims=2**31 - 2**17, rows=10, **how):
    path.write_bytes(parquet(rows, page(rows, claims, zstd_zeros(2**17)), **how))
    return path


def test_a_good_file_written_by_hand_opens(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet(2**14, page(2**14, 2**17, zstd_zeros(2**17))))
    assert open_file(path)["a"].tolist() == [0.0] * 2**14


def test_a_page_that_becomes_too_much_is_refused_by_its_header(tmp_path):
    with pytest.raises(RefusedFile, match="10 values would unpack to 2147352576 bytes") as caught:
        open_file(bomb(tmp_path / "t.parquet"))
    assert caught.value.code == "L23"


def test_a_large_table_refuses_it_when_the_column_is_read(tmp_path, monkeypatch):
    path = bomb(tmp_path / "t.parquet", names=(b"a", b"b"))
    monkeypatch.setattr(parquet_file, "SMALL", 0)
    monkeypatch.setattr(parquet_file, "RATIO", 10**9)
    source = open_file(path)
    for name in source.names:  # the matrix of both columns, too
        with pytest.raises(RefusedFile, match="would unpack"):
            source[name]


def test_more_values_than_rows_are_refused(tmp_path):
    with pytest.raises(RefusedFile, match="268435456 values for 10 rows"):
        open_file(bomb(tmp_path / "t.parquet", 2**17, values=2**28))


def test_many_columns_that_lead_to_one_page_are_not_looked_through(tmp_path, monkeypatch):
    path = bomb(tmp_path / "t.parquet", 2**25, names=tuple(b"c%d" % n for n in range(100)))
    asked = []
    original = parquet_file.weight
    monkeypatch.setattr(parquet_file, "weight", lambda *a: asked.append(1) or original(*a))
    assert len(open_file(path)) == 101
    assert len(asked) == 9  # 256 MiB are passed with the ninth


def test_page_headers_that_never_end_are_left(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_pages, "RECORDS", 500)
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet(10, page(0, 0, b"") * 100))
    with pytest.raises(RefusedFile, match="too many records"):
        open_file(path)


HEADERS = {
    "a negative size": record((1, 5, 0), (2, 5, -1), (3, 5, 1), (5, 12, ((1, 5, 1),))),
    "no count": record((1, 5, 0), (2, 5, 1), (3, 5, 1)),
    "a count of another kind": record((1, 5, 0), (2, 5, 1), (3, 5, 1), (5, 8, b"x")),
    "a text for a size": record((1, 5, 0), (2, 8, b"1"), (3, 5, 1), (5, 12, ((1, 5, 1),))),
    "an unknown kind of value": bytes([0x1D, 0]),
    "a list of 2**40": bytes([0x19, 0xF5]) + b"\x80" * 5 + b"\x20",
    "a text of 2**40": bytes([0x18]) + b"\x80" * 5 + b"\x20",
    "a number without end": bytes([0x15]) + b"\xff" * 60,
    "a field twice": record((1, 5, 0)) [:-1] + bytes([0x05, 2, 0, 0]),
    "an end inside": bytes([0x15]),
    "records within records": bytes([0x1C]) * 60,
}  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
def test_damaged_headers(tmp_path, name):
    path = tmp_path / "t.parquet"
    path.write_bytes(HEADERS[name])
    with pytest.raises(DamagedRecord):
        weight(file(path), [Piece(1, 0, len(HEADERS[name]))])


def test_a_footer_that_is_longer_than_the_file(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + b"\xff\xff\xff\x00PAR1")
    with pytest.raises(DamagedRecord):
        pieces_of(file(path))
