"""What a loader finds in a file, gathered into a source of named tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Literal

import numpy as np

from qviz.errors import QvizError, RefusedFile
from qviz.sources.base import File, TensorInfo, TensorSource, guess_role

MAX_RANK = 64  # NumPy's own limit
MAX_EXTENT = 2**58  # elements, empty axes counted as one; NumPy refuses more even where size is 0
_PART_DTYPE = {"complex64": "float32", "complex128": "float64"}


@dataclass(frozen=True, eq=False)
class Found:
    """One tensor of a file: what is known of it, and how to read it later."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    read: Callable[[], Any]
    about: str = ""
    role: str = ""  # empty: guessed from the name


@dataclass(frozen=True, eq=False)
class FileSource(TensorSource):
    """Tensors of one file. Keeps the array read last, so that a deflated one is inflated once."""

    title: str
    infos: Mapping[str, TensorInfo]
    skipped: Mapping[str, str]
    file: File
    readers: Mapping[str, Callable[[], Any]] = field(repr=False)
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)

    def read(self, name: str) -> Any:
        """The array called ``name``, read-only where it is a NumPy array.

        Raises
        ------
        RefusedFile
            The file has changed or gone since it was opened, the tensor does not fit in memory,
            or its bytes turn out to be damaged.
        """
        if self._changed():
            self._kept.clear()  # what was mapped may be gone
        if name not in self._kept:
            array = self._read(name)
            self._kept.clear()
            self._kept[name] = array
        return self._kept[name]

    def _changed(self) -> bool:
        try:
            return File(self.file.path, self.title).fingerprint != self.file.fingerprint
        except OSError:
            return True

    def _read(self, name: str) -> Any:
        where = f"{name} in {self.title}"
        try:
            unchanged = File(self.file.path, self.title).fingerprint == self.file.fingerprint
            array = self.readers[name]() if unchanged else None
        except MemoryError as error:
            raise RefusedFile(f"{where} does not fit in memory.", "", "Save a part.") from error
        except (OSError, ValueError, RuntimeError) as error:
            why = getattr(error, "strerror", None) or str(error)  # strerror names no path
            raise RefusedFile(f"{where} cannot be read.", why, "Save it again.") from error
        if array is None:
            raise RefusedFile(
                f"{self.title} has changed since it was opened.", "", "Open it again."
            )
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
        return array


class Contents:
    """Collects what a loader meets, then gives the source.

    Parameters
    ----------
    file : File
        The file being opened.
    code : str
        The code of a refusal for impossible shapes and for a file without tensors.
    """

    def __init__(self, file: File, code: str) -> None:
        self.file, self.code = file, code
        self.found: dict[str, Found] = {}
        self.refused: dict[str, RefusedFile] = {}
        self._uses = Counter[str]()

    def add(self, found: Found) -> None:
        """Take in a tensor; a complex one as three: ``.real``, ``.imag`` and ``.abs``."""
        if len(found.shape) > MAX_RANK or prod(max(n, 1) for n in found.shape) > MAX_EXTENT:
            self.skip(found.name, self._impossible(found))
        elif found.dtype in _PART_DTYPE:
            for part, pick in (("real", np.real), ("imag", np.imag), ("abs", magnitude)):
                self.add(_part(found, part, pick))
        else:
            self.found[self._unused(found.name)] = found

    def skip(self, name: str, refusal: RefusedFile) -> None:
        """Take note of something that is not read, and why."""
        self.refused[self._unused(name)] = refusal

    def source(self) -> FileSource:
        """The source. Raises RefusedFile where no tensor was found."""
        if not self.found:
            raise self._nothing()
        return FileSource(
            self.file.shown,
            {name: self._info(name, found) for name, found in self.found.items()},
            {name: f"{why.why} ({why.code})" for name, why in self.refused.items()},
            self.file,
            {name: found.read for name, found in self.found.items()},
        )

    def _info(self, name: str, found: Found) -> TensorInfo:
        mark = self.file.fingerprint_of(name, found.shape, found.dtype)
        role = found.role or guess_role(found.name, found.shape)
        return TensorInfo(name, found.shape, found.dtype, mark, role, about=found.about)

    def _unused(self, name: str) -> str:
        # A lone surrogate, which JSON and pickle may spell, can be neither printed nor hashed.
        base = unused = name.encode("utf-8", "backslashreplace").decode()
        while not self._uses[base] or unused in self.found or unused in self.refused:
            self._uses[base] += 1
            unused = base if self._uses[base] == 1 else f"{base}#{self._uses[base]}"
        return unused

    def _impossible(self, found: Found) -> RefusedFile:
        return RefusedFile(
            f"{found.name} in {self.file.shown} has an impossible shape.",
            f"It claims {len(found.shape)} axes and up to {max(found.shape)} elements along one.",
            "Save it again.",
            code=self.code,
        )

    def _nothing(self) -> RefusedFile:
        shown = self.file.shown
        for name, first in self.refused.items():
            why = f"{name}: {first.why}"
            return RefusedFile(f"{shown} holds nothing to read.", why, first.do, code=first.code)
        why = "It was read to its end without meeting a tensor."
        return RefusedFile(f"{shown} holds no tensor.", why, "Save one into it.", code=self.code)


def mapped(
    file: File,
    offset: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    order: Literal["C", "F"] = "C",
) -> np.ndarray:
    """A read-only array over bytes of the file; costs address space, no memory."""
    if 0 in shape:
        return np.empty(shape, dtype, order)
    return np.asarray(np.memmap(file.path, dtype, "r", offset, shape, order))


def magnitude(z: np.ndarray) -> np.ndarray:
    """|z| = sqrt(re^2 + im^2) in the parts' own float type; inf where it does not fit."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return np.abs(z)


def late_torch() -> Any:
    """The torch module, imported now. Raises QvizError where it is missing or too old."""
    try:
        import torch
    except ImportError as error:
        why = "bfloat16, float8 and torch's own files need it."
        raise QvizError("torch is not installed.", why, "Install torch 2.6 or newer.") from error
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version < (2, 6):  # earlier versions run code in a checkpoint in spite of weights_only
        why = "Only from 2.6 on does it read a checkpoint without running code of it."
        raise QvizError(f"torch {torch.__version__} is too old.", why, "Install a newer one.")
    return torch


def _part(found: Found, part: str, pick: Callable[[Any], np.ndarray]) -> Found:
    return replace(
        found,
        name=f"{found.name}.{part}",
        dtype=_PART_DTYPE[found.dtype],
        read=lambda: pick(found.read()),
        about=f"{part} of complex {found.name}",
        role=guess_role(found.name, found.shape),
    )
