"""A file as loaders see it: content first, the name only for people."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from qviz.errors import RefusedFile

HEAD = 512  # bytes looked at to recognise a file
DIRECTORY = 8 * 2**20  # bytes of a zip directory: some 90,000 members, read in half a second
DAMAGED_ZIP = (  # what zipfile raises on an archive that is cut, altered or encrypted
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(RuntimeError, ValueError),
)


class _Sparing(io.FileIO):
    """A zip file whose directory, which zipfile reads in one go, cannot be vast."""

    def read(self, size: int | None = -1, /) -> bytes:
        if (size or 0) > DIRECTORY:
            raise zipfile.BadZipFile(f"a directory of {size} bytes")
        return super().read(-1 if size is None else size)


@dataclass(frozen=True)
class File:
    """A file as a loader sees it: content first, the name only for people.

    ``shown`` is the name on screen (the upload's name, say); ``path`` is where the bytes lie.
    """

    path: Path
    shown: str

    @cached_property
    def size(self) -> int:
        """Bytes in the file."""
        return self.path.stat().st_size

    @cached_property
    def head(self) -> bytes:
        """The first bytes, for recognising the format."""
        with self.path.open("rb") as stream:
            return stream.read(HEAD)

    @cached_property
    def members(self) -> tuple[zipfile.ZipInfo, ...]:
        """Entries of the zip directory; empty where the file is no zip archive."""
        if not self.head.startswith(b"PK\x03\x04"):
            return ()
        try:
            with _Sparing(self.path) as stream, zipfile.ZipFile(stream) as archive:
                return tuple(archive.infolist())
        except DAMAGED_ZIP as error:
            raise RefusedFile(
                f"{self.shown} is a damaged zip archive.",
                f"Its directory cannot be read, or takes more than {DIRECTORY} bytes.",
                "Copy or download the file again.",
                code="L04",
            ) from error

    @cached_property
    def fingerprint(self) -> str:
        """Stands for the content: real path, inode, size and time of change."""
        stat = self.path.stat()
        words = (os.path.realpath(self.path), stat.st_ino, stat.st_size, stat.st_mtime_ns)
        return hashlib.blake2b(repr(words).encode(), digest_size=16).hexdigest()

    def fingerprint_of(self, name: str, shape: tuple[int, ...], dtype: str) -> str:
        """Fingerprint of one tensor of the file."""
        words = (self.fingerprint, name, shape, dtype)
        return hashlib.blake2b(repr(words).encode(), digest_size=16).hexdigest()
