import io
import struct
import zipfile

import numpy as np
import pytest

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from tests.unit.sources.memory import cost_of_reading

SAVERS = [np.savez, np.savez_compressed]
ARRAYS = {
    "half": np.array([1.5, -2], np.float16),
    "matrix": np.arange(6, dtype=">i4").reshape(2, 3).copy("F"),
    "flags": np.array([True, False]),
    "scalar": np.array(3.25),
    "empty": np.empty((3, 0), np.uint8),
}


@pytest.mark.parametrize("save", SAVERS)
@pytest.mark.parametrize("name", ARRAYS)
def test_members_come_back(tmp_path, save, name):
    save(tmp_path / "a.npz", **ARRAYS)
    source = open_file(tmp_path / "a.npz")
    assert source.names == tuple(ARRAYS)
    assert source.skipped == {}
    got, want = source[name], ARRAYS[name]
    assert got.tolist() == want.tolist()
    assert (got.dtype, got.shape, source.info(name).shape) == (want.dtype, want.shape, want.shape)
    assert not got.flags.writeable


@pytest.mark.parametrize("save", SAVERS)
def test_complex_members_become_three(tmp_path, save):
    save(tmp_path / "a.npz", z=np.array([3 + 4j]))
    source = open_file(tmp_path / "a.npz")
    assert [source[name].tolist() for name in source] == [[3], [4], [5]]


def test_plain_members_are_mapped_and_deflated_ones_inflated_once(tmp_path):
    np.savez(tmp_path / "plain.npz", a=np.arange(5.0))
    plain = open_file(tmp_path / "plain.npz")["a"]
    assert isinstance(plain.base, np.memmap)
    np.savez_compressed(tmp_path / "packed.npz", a=np.arange(5.0))
    packed = open_file(tmp_path / "packed.npz")
    assert not isinstance(packed["a"].base, np.memmap)
    assert packed["a"] is packed["a"]


def test_what_is_no_array_of_numbers_is_skipped_by_name(tmp_path):
    np.savez(tmp_path / "a.npz", w=np.ones(2), words=np.array(["a"]), objects=np.array([None]))
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("readme.txt", "hello")
    source = open_file(tmp_path / "a.npz")
    assert source.names == ("w",)
    assert set(source.skipped) == {"words", "objects", "readme.txt"}
    assert source.skipped["words"] == "Text has no range. (L10)"
    assert "(L02)" in source.skipped["objects"]
    assert "no array" in source.skipped["readme.txt"]


def test_a_member_shorter_than_its_header_says_is_skipped(tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.ones(4))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("short.npy", stream.getvalue()[:-1])
        archive.writestr("whole.npy", stream.getvalue())
    source = open_file(tmp_path / "a.npz")
    assert source["whole"].tolist() == [1] * 4
    assert "claims 32 bytes; 31 are there" in source.skipped["short"]


def test_members_of_one_name_are_all_there(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for value in (1.0, 2.0):
            stream = io.BytesIO()
            np.save(stream, np.array([value]))
            if value == 2:
                with pytest.warns(UserWarning, match="Duplicate"):
                    archive.writestr("w.npy", stream.getvalue())
            else:
                archive.writestr("w.npy", stream.getvalue())
    source = open_file(tmp_path / "a.npz")
    assert [source[name].tolist() for name in ("w", "w#2")] == [[1], [2]]


def test_an_archive_without_arrays_is_of_no_known_format(tmp_path):
    np.savez(tmp_path / "a.npz")
    with pytest.raises(RefusedFile, match="no format"):
        open_file(tmp_path / "a.npz")


def test_a_plain_member_costs_no_memory(tmp_path):
    x = np.zeros(2**24, np.float32)  # 64 MiB
    x[-1] = 2.5
    np.savez(tmp_path / "a.npz", x=x)
    kibibytes, total, torch = cost_of_reading(tmp_path / "a.npz", "x")
    assert (total, torch) == (2.5, False)
    assert kibibytes < 16 * 1024


def test_a_deflated_member_costs_its_size_once(tmp_path):
    x = np.zeros(2**23, np.float32)  # 32 MiB, below the size where the ratio counts
    x[-1] = 2.5
    np.savez_compressed(tmp_path / "a.npz", x=x)
    kibibytes, total, _ = cost_of_reading(tmp_path / "a.npz", "x")
    assert total == 2.5
    assert kibibytes < 48 * 1024


def test_a_large_file_of_zip64_members_is_read(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        with archive.open("x.npy", "w", force_zip64=True) as stream:
            np.lib.format.write_array(stream, np.arange(3, dtype="<f4"))
    assert struct.pack("<f", 2) in path.read_bytes()
    assert open_file(path)["x"].tolist() == [0, 1, 2]
