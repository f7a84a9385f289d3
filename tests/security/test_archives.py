"""L04, L05, L08: archives that unpack to too much, lie, or hold a program."""

import struct
import warnings
import zipfile

import numpy as np
import pytest
import torch

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from tests.security.builders import npy_header, quick, refused, repacked


def bomb(path, mebibytes, extra=b""):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with archive.open("a.npy", "w", force_zip64=True) as stream:
            stream.write(npy_header((mebibytes * 2**18,), "<f4"))
            for _ in range(mebibytes):
                stream.write(bytes(1 << 20))
        if extra:
            archive.writestr("noise.npy", extra, zipfile.ZIP_STORED)
    return path


def test_l04_zeros_that_unpack_a_thousandfold_are_refused(tmp_path):
    refused(bomb(tmp_path / "bomb.npz", 128), "L04", "200 times")


def test_l04_a_bomb_beside_honest_bytes_is_refused(tmp_path):
    noise = npy_header((2**20,), "|u1") + np.random.default_rng(0).bytes(2**20)
    refused(bomb(tmp_path / "bomb.npz", 128, noise), "L04", "200 times")


def test_l04_small_archives_may_deflate_well(tmp_path):
    source = open_file(bomb(tmp_path / "zeros.npz", 32))
    assert source["a"].shape == (32 * 2**18,)
    assert not source["a"].any()


def patched(path, **fields):
    """Overwrite fields of the first member in the archive's directory."""
    places = {
        "flags": (8, "<H"),
        "method": (10, "<H"),
        "crc": (16, "<I"),
        "packed": (20, "<I"),
        "size": (24, "<I"),
        "at": (42, "<I"),
    }
    raw = bytearray(path.read_bytes())
    start = raw.index(b"PK\x01\x02")
    for name, value in fields.items():
        place, form = places[name]
        struct.pack_into(form, raw, start + place, value)
    path.write_bytes(raw)
    return path


@pytest.fixture
def deflated(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy_header((4096,), "<f4") + bytes(4 * 4096))
    return path


def test_l04_a_directory_that_claims_more_than_the_cap_is_refused(deflated):
    refused(patched(deflated, size=2**32 - 2**20, packed=2**26), "L04", "times")


def test_l04_many_deflated_members_count_together(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name in "ab":
            archive.writestr(f"{name}.npy", npy_header((1,), "<f4") + bytes(4))
    raw = bytearray(path.read_bytes())
    place = -1
    while (place := raw.find(b"PK\x01\x02", place + 1)) >= 0:  # both 3 GiB, packed a hundredfold
        struct.pack_into("<H", raw, place + 10, zipfile.ZIP_DEFLATED)
        struct.pack_into("<II", raw, place + 20, 3 * 2**25, 3 * 2**30)
    path.write_bytes(raw)
    refused(path, "L04", "bytes; 4294967296 are allowed")


def test_l04_plain_members_cannot_claim_more_than_the_file(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, a=np.ones(4))
    raw = path.read_bytes()
    assert raw.count(b"PK\x01\x02") == 1
    refused(patched(path, size=2**20, packed=2**20), "L04", "more than the file has")


def test_l04_too_many_members_are_refused(tmp_path):
    path = tmp_path / "many.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for index in range(10_001):
            archive.writestr(f"{index}.npy", b"")
    refused(path, "L04", "10001 members", "10000")


def test_l04_a_member_that_ends_early_is_refused_when_read(deflated):
    raw = deflated.read_bytes()
    with zipfile.ZipFile(deflated, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy_header((4096,), "<f4") + bytes(4 * 2048))
    assert deflated.read_bytes() != raw
    source = open_file(patched(deflated, size=128 + 4 * 4096))
    with pytest.raises(RefusedFile) as caught:
        source["a"]
    assert caught.value.code == "L04"


def test_l04_a_wrong_checksum_is_noticed_when_read(deflated):
    raw = bytearray(deflated.read_bytes())
    struct.pack_into("<I", raw, 14, 1)  # the local header repeats it
    deflated.write_bytes(raw)
    with pytest.raises(RefusedFile) as caught:
        open_file(patched(deflated, crc=1))["a"]
    assert caught.value.code == "L04"


@pytest.mark.parametrize(
    ("fields", "word"),
    [({"flags": 1}, "encrypted"), ({"method": zipfile.ZIP_LZMA}, "NumPy never uses"),
     ({"at": 7}, "directory")],
)  # fmt: skip
def test_l04_odd_members_are_skipped_by_name(deflated, fields, word):
    assert word in str(refused(patched(deflated, **fields), "L04"))


def test_l05_a_deflated_checkpoint_is_refused(tmp_path):
    torch.save({"w": torch.zeros(2**20)}, tmp_path / "a.pt")
    packed = repacked(tmp_path / "a.pt", tmp_path / "b.pt", zipfile.ZIP_DEFLATED)
    refused(packed, "L05", "compressed", "torch.save")


class Doubled(torch.nn.Module):
    def forward(self, x):
        return 2 * x


@pytest.mark.parametrize("kind", ["script", "export"])
def test_l08_a_program_is_refused_and_never_loaded(tmp_path, monkeypatch, kind):
    path = tmp_path / "program.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "script":
            torch.jit.save(torch.jit.script(Doubled()), path)
        else:
            torch.export.save(torch.export.export(Doubled(), (torch.ones(2),)), path)
    monkeypatch.setattr(torch, "load", None)
    monkeypatch.setattr(torch.jit, "load", None)
    refused(path, "L08", "a program, not tensors", "state_dict", "qviz.capture")


def test_a_cut_archive_is_refused_whatever_its_kind(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.ones(100))
    whole = (tmp_path / "a.npz").read_bytes()
    cut = tmp_path / "cut.npz"
    cut.write_bytes(whole[:-30])
    with quick():
        refused(cut, "L04", "damaged")
