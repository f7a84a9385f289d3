"""What a loader finds in a file, gathered into a source of named tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from qviz.errors import RefusedFile
from qviz.sources.base import UNREAD, TensorInfo, TensorSource, guess_role
from qviz.sources.codes import Scaled
from qviz.sources.file import File
from qviz.sources.found import PART_DTYPE, Found, parts_of, values_of

MAX_RANK = 64  # NumPy's own limit
MOST = 30_000  # tensors of one file, met or skipped
MAX_EXTENT = 2**58  # elements, empty axes counted as one; NumPy refuses more even where size is 0


@dataclass(frozen=True, eq=False)
class FileSource(TensorSource):
    """Tensors of one file. Keeps the array read last, so that a deflated one is inflated once."""

    title: str
    infos: Mapping[str, TensorInfo]
    skipped: Mapping[str, str]
    file: File
    readers: Mapping[str, Callable[[], Any]] = field(repr=False)
    code: str = UNREAD  # of a refusal where the bytes turn out to be damaged
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
            raise _unread(f"{where} does not fit in memory.", "It is too large.") from error
        except (OSError, ValueError, RuntimeError) as error:
            why = getattr(error, "strerror", None) or str(error)  # strerror names no path
            raise _unread(f"{where} cannot be read.", why, self.code) from error
        if array is None:
            why = "What is listed of it may no longer be there."
            raise _unread(f"{self.title} has changed since it was opened.", why)
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
        return array


def _unread(what: str, why: str, code: str = UNREAD) -> RefusedFile:
    return RefusedFile(what, why, "Save it again, or a part of it, and open that.", code=code)


def _role(found: Found) -> str:
    """Role by operation or name; truth values are neither weight nor bias."""
    role = found.role or guess_role(found.name, found.shape)
    return "unknown" if found.dtype == "bool" and role in ("weight", "bias") else role


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
        self._met = 0

    def add(self, found: Found) -> None:
        """Take in a tensor; a complex one as three: ``.real``, ``.imag`` and ``.abs``.

        Codes with known qparams come with the reals they stand for: ``name (dequantized)``.
        """
        if len(found.shape) > MAX_RANK or prod(max(n, 1) for n in found.shape) > MAX_EXTENT:
            self.skip(found.name, self._impossible(found))
        elif found.dtype in PART_DTYPE:
            for part in parts_of(found):
                self.add(part)
        else:
            self.found[self._unused(found.name)] = found
            if found.coded:
                values = values_of(found)
                self.found[self._unused(values.name)] = values

    def give(self, qparams: Mapping[str, Scaled]) -> None:
        """Give tensors met so far their scale, and list the reals of each right behind it."""
        listed: dict[str, Found] = {}
        for name, found in self.found.items():
            listed[name] = found
            if name in qparams:
                listed[name] = replace(found, qparams=qparams[name])
                values = values_of(listed[name])
                listed[self._unused(values.name)] = values
        self.found = listed

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
            self.code,
        )

    def _info(self, name: str, found: Found) -> TensorInfo:
        mark = self.file.fingerprint_of(name + found.mark, found.shape, found.dtype)
        return TensorInfo(
            name,
            found.shape,
            found.dtype,
            mark,
            _role(found),
            found.batch_axis,
            found.about,
            qparams=found.qparams,
            splits=found.splits,
            parameter=found.parameter,
        )

    def _unused(self, name: str) -> str:
        self._met += 1
        if self._met > MOST:
            raise self._too_many()
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

    def _too_many(self) -> RefusedFile:
        shown, why = self.file.shown, f"It holds over {MOST} tensors."
        do = "Save those of interest in a file of their own."
        return RefusedFile(f"{shown} is not listed.", why, do, code=self.code)

    def _nothing(self) -> RefusedFile:
        shown = self.file.shown
        for name, first in self.refused.items():
            why = f"{name}: {first.why}"
            return RefusedFile(f"{shown} holds nothing to read.", why, first.do, code=first.code)
        why = "It was read to its end without meeting a tensor."
        return RefusedFile(f"{shown} holds no tensor.", why, "Save one into it.", code=self.code)
