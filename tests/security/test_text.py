"""Tables and sidecars as text: bombs, lies, and what only looks like a table."""

import json

import numpy as np
import pytest

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from qviz.sources.csv_file import LARGEST
from tests.security.builders import refused
from tests.security.test_limits import MEMORY, SECONDS, opened

SIZE = 15 * 2**20
TABLES = {
    "a word in the last row": b"1\n" * (SIZE // 2) + b"a",
    "a word after many columns": b"1," * (SIZE // 2) + b"a",
    "an empty last cell": b"1," * (SIZE // 2),
    "quotes": b"1,2\n" + b'1"' * (SIZE // 2),
    "spaces": b"1" + b" " * SIZE + b"1\n1",
    "rows of unequal length": b"1,2\n" * (SIZE // 4) + b"1",
    "one long number": b"1" * SIZE + b"x",
    "a long name": b"1,2\n3," + b"a" * SIZE,
}


def test_hostile_tables_are_refused_within_the_limits(tmp_path):
    files = {}
    for name, content in TABLES.items():
        path = tmp_path / f"{len(files)}.csv"
        path.write_bytes(content)
        files[name] = ("L22", path.name, path)
    for name, said in opened(files).items():
        assert (said["code"], said["raised"]) == ("L22", ""), name
        assert max(map(len, said["words"])) < 300, name
        assert said["memory"] < MEMORY, name
        assert said["seconds"] < SECONDS, name


def test_a_table_that_is_too_long_is_refused_unread(tmp_path):
    path = tmp_path / "long.csv"
    with path.open("wb") as stream:
        stream.write(b"1,2\n")
        stream.truncate(LARGEST + 1)
        stream.seek(600)
        stream.write(b"3,4\n")
    path.write_bytes(b"1,2\n" * (LARGEST // 4 + 1))
    refused(path, "L22", "are allowed", "numpy.save")


@pytest.mark.parametrize(
    "content",
    [
        b"Nothing but words.\n" * 9,
        b'{"a": 1}',
        b"<html>1</html>",
        b"\x00\x011,2\n",
        b"1,2\n\x07",
        b"\xff\xfe1\x00,\x002\x00",
        b"caf\xe9,1\n2,3\n",
        b"%PDF-1.4\n1 0 obj",
        b"#!/bin/sh\necho\n",
    ],
)
def test_what_only_looks_like_a_table_is_of_no_known_format(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(RefusedFile) as caught:
        open_file(path)
    assert caught.value.code == ("L22" if b"obj" in content else "L00")  # it has a line of numbers


SIDECARS = {
    "no JSON": b"{",
    "twice": b'{"scale": 1, "scale": 2}',
    "deep": b'{"scale": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "too long": b'{"scale": 1}' + b" " * 2**20,
    "a word": b'{"scale": "0.1"}',
    "an object": b'{"scale": {"a": 1}}',
    "negative": b'{"scale": -1}',
    "zero": b'{"scale": 0}',
    "NaN": b'{"scale": NaN}',
    "infinite": b'{"scale": 1e999}',
    "too many": b'{"scale": [1, 2, 3]}',
    "a fraction as zero point": b'{"scale": 1, "zero_point": 0.5}',
    "unequal numbers": b'{"scale": [1, 2], "zero_point": [1, 2, 3]}',
    "an axis too far": b'{"scale": [1, 2], "axis": 7}',
    "an axis as text": b'{"scale": [1, 2], "axis": "0"}',
    "a huge number": b'{"scale": 1' + b"0" * 5000 + b"}",
    "ragged": b'{"scale": [[1], [1, 2]]}',
    "not UTF-8": b'{"scale": "\xff"}',
}


@pytest.mark.parametrize("case", SIDECARS)
def test_a_sidecar_that_lies_leaves_the_codes_readable(tmp_path, case):
    codes = np.array([[1, 2], [3, 4]], np.int8)
    np.save(tmp_path / "codes.npy", codes)
    (tmp_path / "codes.json").write_bytes(SIDECARS[case])
    source = open_file(tmp_path / "codes.npy")
    if case == "a word":  # a number written as text is one that NumPy reads
        assert source["codes (dequantized)"].tolist() == (codes * np.float32(0.1)).tolist()
        return
    assert source.names == ("codes",)
    assert source["codes"].tolist() == codes.tolist()
    reason = source.skipped["codes (dequantized)"]
    assert reason.startswith("codes.json: ") and reason.endswith("(L11)")


def test_an_upload_reads_nothing_beside_it(tmp_path):
    np.save(tmp_path / "upload.npy", np.array([1, 2], np.int8))
    (tmp_path / "upload.npy").rename(tmp_path / "upload")
    (tmp_path / "upload.json").write_text(json.dumps({"scale": 0.5}))
    (tmp_path / "codes.json").write_text(json.dumps({"scale": 0.5}))
    source = open_file(tmp_path / "upload", shown="codes.npy")
    assert source.names == ("codes",) and source.skipped == {}
