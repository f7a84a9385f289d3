"""A source of named tensors, and the registry of loaders that open files as one."""

from __future__ import annotations

import hashlib
import math
import os
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from qviz.errors import RefusedFile, UnknownName
from qviz.registry import Registry

LOADERS = Registry("loader", "qviz.sources")
ROLES = ("weight", "activation", "bias", "unknown")
HEAD = 512  # bytes looked at to recognise a file
CAP = 64 * 2**30  # bytes of one tensor; a header may claim anything
DAMAGED_ZIP = (  # what zipfile raises on an archive that is cut, altered or encrypted
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(RuntimeError, ValueError),
)


@dataclass(frozen=True)
class TensorInfo:
    """What is known of a tensor before it is read.

    ``dtype`` is the element type's name (``float32``, ``bfloat16`` ...); ``fingerprint`` stands
    for the content in caches; ``batch_axis`` names the axis whose slices are batches, if any;
    ``title`` and ``about`` are words for people.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    fingerprint: str
    role: str = "unknown"
    batch_axis: int | None = None
    about: str = ""
    title: str = ""

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


class TensorSource(ABC, Mapping[str, Any]):
    """Named tensors, opened lazily; ``source[name]`` gives a read-only array.

    Arrays are NumPy where NumPy has the dtype, else CPU torch tensors (bfloat16, float8).
    ``skipped`` lists what the file holds but cannot be analysed, name -> reason.
    """

    title: str
    infos: Mapping[str, TensorInfo]
    skipped: Mapping[str, str]

    @abstractmethod
    def read(self, name: str) -> Any:
        """The array called ``name``, mapped where the format allows it."""

    def __getitem__(self, name: str) -> Any:
        self.info(name)
        return self.read(name)

    def __eq__(self, other: object) -> bool:
        return self is other  # a Mapping would compare, and so read, every array

    def __hash__(self) -> int:
        return id(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.infos)

    def __len__(self) -> int:
        return len(self.infos)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tensors, in the file's order."""
        return tuple(self.infos)

    def info(self, name: str) -> TensorInfo:
        """Shape, dtype, role and fingerprint of one tensor."""
        if name not in self.infos:
            reason = self.skipped.get(name, "")
            known = ", ".join(self.names[:8]) or "none"
            raise UnknownName(f"{self.title} has no tensor {name!r}.", reason, f"Tensors: {known}.")
        return self.infos[name]


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
            with zipfile.ZipFile(self.path) as archive:
                return tuple(archive.infolist())
        except DAMAGED_ZIP as error:
            raise RefusedFile(
                f"{self.shown} is a damaged zip archive.",
                "Its directory cannot be read.",
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


class Loader(ABC):
    """Recognises a format by content and opens it. Registered in LOADERS, stateless."""

    suffixes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def matches(self, file: File) -> bool:
        """Whether the content is of this format."""

    @abstractmethod
    def open(self, file: File) -> TensorSource:
        """Open it. Raises RefusedFile with a code, a reason and a way out."""


def open_file(path: str | os.PathLike[str], shown: str | None = None) -> TensorSource:
    """Open a file of any registered format as a source of named tensors.

    Raises
    ------
    RefusedFile
        Missing, empty, of no known format, damaged or hostile.
    """
    file = File(Path(path), shown or Path(path).name)
    try:
        if not file.path.is_file():
            raise RefusedFile(f"{file.shown} is not a file.", "", "Check the path.")
        if file.size == 0:
            raise RefusedFile(f"{file.shown} is empty.", "It has 0 bytes.", "Save it again.")
        for loader in (made() for made in LOADERS.values()):
            if loader.matches(file):
                return loader.open(file)
    except OSError as error:
        raise RefusedFile(
            f"{file.shown} cannot be read.", f"{error.strerror}.", "Check it."
        ) from error
    known = sorted({suffix for made in LOADERS.values() for suffix in made.suffixes})
    raise RefusedFile(
        f"{file.shown} is of no format that can be opened.",
        "Its content was looked at, not its extension.",
        f"Formats: {', '.join(known)}.",
    )


def guess_role(name: str, shape: tuple[int, ...]) -> str:
    """Role by the name's last word and the rank: weight, bias or unknown."""
    last = name.lower().rsplit(".", 1)[-1].rsplit("/", 1)[-1]
    if "bias" in last or (len(shape) == 1 and last in ("b", "beta")):
        return "bias"
    if "weight" in last or "kernel" in last or last in ("w", "gamma"):
        return "weight"
    return "unknown"
