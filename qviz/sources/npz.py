"""An archive of .npy members: plain ones are mapped, deflated ones inflated when read."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO

import numpy as np

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.arrays import mapped
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.batches import add_batches
from qviz.sources.contents import Contents
from qviz.sources.file import DAMAGED_ZIP, File
from qviz.sources.found import Found
from qviz.sources.npy import Header, check_length, read_header
from qviz.sources.pairs import add_pairs

SOURCE = Source("NumPy reference", "numpy.savez", "2.4")
ENTRIES = 10_000
RATIO = 200  # real weights deflate by less than 20; zeros by 1000
SMALL = 64 * 2**20  # bytes below which the ratio does not matter
INFLATED = 4 * 2**30  # bytes that all deflated members together may claim
CHUNK = 2**20
_LOCAL = struct.Struct("<26xHH")  # a member's local header: name and extra field lengths
_ENCRYPTED = 1


def check_directory(file: File) -> None:
    """Weigh the archive by its directory alone. Raises RefusedFile (L04)."""
    deflated = [m for m in file.members if m.compress_type != zipfile.ZIP_STORED]
    claimed = sum(m.file_size for m in deflated)
    stored = sum(m.file_size for m in file.members) - claimed
    packed = [(m.file_size, m.compress_size) for m in deflated] + [(claimed, file.size)]
    why = ""
    if len(file.members) > ENTRIES:
        why = f"It lists {len(file.members)} members; {ENTRIES} are allowed."
    elif stored > file.size:
        why = f"Its plain members claim {stored} bytes, more than the file has."
    elif claimed > INFLATED:
        why = f"Unpacked it would take {claimed} bytes; {INFLATED} are allowed."
    elif any(size >= SMALL and size > RATIO * small for size, small in packed):
        why = f"It would unpack to over {RATIO} times its size."
    if why:
        do = "Save it again with numpy.savez, which does not deflate."
        raise RefusedFile(f"{file.shown} is not unpacked.", why, do, code="L04")


@LOADERS.register("npz", title="NumPy archive (.npz)", source=SOURCE)
class NpzLoader(Loader):
    """Each array of the archive that holds numbers; the others are skipped by name."""

    suffixes = (".npz",)

    def matches(self, file: File) -> bool:
        return any(member.filename.endswith(".npy") for member in file.members)

    def open(self, file: File) -> TensorSource:
        check_directory(file)
        contents = Contents(file, "L04")
        with zipfile.ZipFile(file.path) as archive:
            packed = _Packed(file, archive)
            for member in file.members:
                name = member.filename.removesuffix(".npy")
                try:
                    contents.add(_found(packed, member, name))
                except RefusedFile as refusal:
                    contents.skip(name, refusal)
            add_pairs(contents)
            packed.listing = None
        add_batches(contents)
        return contents.source()


@dataclass
class _Packed:
    """An archive while it is ``listing``, when its directory is at hand, and later on."""

    file: File
    listing: zipfile.ZipFile | None

    @contextmanager
    def open(self, member: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
        """A member's bytes."""
        if self.listing is not None:
            with self.listing.open(member) as stream:
                yield stream
            return
        with zipfile.ZipFile(self.file.path) as archive, archive.open(member) as stream:
            yield stream


def _found(packed: _Packed, member: zipfile.ZipInfo, name: str) -> Found:
    where = f"{name} in {packed.file.shown}"
    if not member.filename.endswith(".npy"):
        raise _refusal(where, "It is no array.")
    if member.flag_bits & _ENCRYPTED:
        raise _refusal(where, "It is encrypted.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _refusal(where, "It is packed in a way that NumPy never uses.")
    try:
        with packed.open(member) as stream:
            header = read_header(stream, where)
        check_length(header, member.file_size, where)
        read = _reader(packed, member, header)
    except DAMAGED_ZIP as error:
        raise _refusal(where, "Its bytes do not agree with the archive's directory.") from error
    return Found(name, header.shape, header.dtype.name, read)


def _reader(packed: _Packed, member: zipfile.ZipInfo, header: Header) -> Callable[[], np.ndarray]:
    if member.compress_type == zipfile.ZIP_DEFLATED:
        return partial(_inflate, packed, member, header)
    file = packed.file
    offset = _stored_at(file, member) + header.offset
    return partial(mapped, file, offset, header.dtype, header.shape, header.order)


def _stored_at(file: File, member: zipfile.ZipInfo) -> int:
    """Offset of a plain member's bytes in the archive."""
    with file.path.open("rb") as stream:
        stream.seek(member.header_offset)
        name, extra = _LOCAL.unpack(stream.read(_LOCAL.size))
    offset = member.header_offset + _LOCAL.size + name + extra
    if member.file_size != member.compress_size or offset + member.file_size > file.size:
        raise zipfile.BadZipFile("a plain member reaches beyond the file")
    return offset


def _inflate(packed: _Packed, member: zipfile.ZipInfo, header: Header) -> np.ndarray:
    flat = np.empty(header.nbytes, np.uint8)
    where = f"{member.filename} in {packed.file.shown}"
    try:
        with packed.open(member) as stream:
            stream.read(header.offset)
            got = _fill(flat.data, stream)
    except DAMAGED_ZIP as error:
        raise _refusal(where, "Its bytes are damaged.") from error
    if got < header.nbytes:
        raise _refusal(where, f"It ends after {got} bytes.")
    return flat.view(header.dtype).reshape(header.shape, order=header.order)


def _fill(room: memoryview, stream: IO[bytes]) -> int:
    """Read until ``room`` is full, never beyond; gives the bytes read."""
    got = 0
    while got < len(room) and (chunk := stream.read(min(CHUNK, len(room) - got))):
        room[got : got + len(chunk)] = chunk
        got += len(chunk)
    return got


def _refusal(where: str, why: str) -> RefusedFile:
    return RefusedFile(f"{where} is not read.", why, "Save it again with numpy.savez.", code="L04")
