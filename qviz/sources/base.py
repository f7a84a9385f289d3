"""A source of named tensors, and the registry of loaders that open files as one."""

from __future__ import annotations

import itertools
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from qviz.errors import RefusedFile, UnknownName
from qviz.registry import Registry
from qviz.sources.codes import Scaled
from qviz.sources.file import File

LOADERS = Registry("loader", "qviz.sources")
ROLES = ("weight", "activation", "bias", "unknown")
UNREAD = "L00"  # code where the content is not to blame: missing, empty, unknown, changed
CAP = 64 * 2**30  # bytes of one tensor; a header may claim anything


@dataclass(frozen=True)
class TensorInfo:
    """What is known of a tensor before it is read.

    ``dtype`` is the element type's name (``float32``, ``bfloat16`` ...); ``fingerprint`` stands
    for the content in caches; ``batch_axis`` names the axis whose slices are batches, if any;
    ``title`` and ``about`` are words for people. ``qparams`` are the scale and zero point that
    the file states; ``splits`` the lengths along axis 0 of batches that differ in length.
    ``parameter`` marks the scale or zero point of another tensor.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    fingerprint: str
    role: str = "unknown"
    batch_axis: int | None = None
    about: str = ""
    title: str = ""
    qparams: Scaled | None = None
    splits: tuple[int, ...] = ()
    parameter: bool = False

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def batched(self, array: Any) -> Any:
        """The array as a list of its batches where their lengths differ; else as it is."""
        ends = list(itertools.accumulate(self.splits, initial=0))
        return [array[a:b] for a, b in itertools.pairwise(ends)] or array


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
            known = ", ".join(each[:80] for each in self.names[:8]) or "none"
            raise UnknownName(f"{self.title} has no tensor {name!r}.", reason, f"Tensors: {known}.")
        return self.infos[name]


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
            raise _nothing(f"{file.shown} is not a file.", "Nothing to read is there.")
        if file.size == 0:
            raise _nothing(f"{file.shown} is empty.", "It has 0 bytes.")
        for loader in (made() for made in LOADERS.values()):
            if loader.matches(file):
                return loader.open(file)
    except OSError as error:
        raise _nothing(f"{file.shown} cannot be read.", f"{error.strerror}.") from error
    known = sorted({suffix for made in LOADERS.values() for suffix in made.suffixes})
    raise RefusedFile(
        f"{file.shown} is of no format that can be opened.",
        "Its content was looked at, not its extension.",
        f"Formats: {', '.join(known)}.",
        code=UNREAD,
    )


def _nothing(what: str, why: str) -> RefusedFile:
    return RefusedFile(what, why, "Check the path, or save it again.", code=UNREAD)


def guess_role(name: str, shape: tuple[int, ...]) -> str:
    """Role by the name's last word and the rank: weight, bias or unknown."""
    last = name.lower().rsplit(".", 1)[-1].rsplit("/", 1)[-1]
    if "bias" in last or (len(shape) == 1 and last in ("b", "beta")):
        return "bias"
    if "weight" in last or "kernel" in last or last in ("w", "gamma"):
        return "weight"
    return "unknown"
