"""What a pickle may cost before torch reads it: a few bytes of it can fill memory or take hours."""

from __future__ import annotations

import mmap
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from qviz.errors import RefusedFile
from qviz.sources.file import DAMAGED_ZIP, File
from qviz.sources.pickle_names import foreign

MOST_BYTES = 3 * 2**20  # of all pickles in an archive: over 10,000 tensors
MOST_STEPS = 1_500_000  # reads of a bare pickle, one or two per instruction
MOST_SETS = 50_000  # an empty set is one byte in the file and 216 in memory
# Harmless by themselves and allowed by weights_only. But bytearray(2**40) fills the memory; hex
# doubles a text each time it is encoded, and punycode takes minutes for a long one.
HUNGRY = {b"\nbytearray\n": "bytearray", b"_codecs\nencode\n": "_codecs.encode"}
EMPTY_SET = b"\x8f"
NUMPY = b"cnumpy."  # names a function of NumPy; its arrays bring bytes along


def check_pickles(file: File) -> None:
    """Look for what tensors never need.

    Raises
    ------
    RefusedFile
        L01: more bytes than state dicts take, functions that make much out of little, or what
        no state dict needs; L03: NumPy arrays.
    """
    try:
        _check_size(file)
        refusal = next((no for raw in _pickles(file) if (no := _refusal(file, raw))), None)
    except DAMAGED_ZIP as error:
        raise damaged(file) from error
    if refusal:
        raise refusal


def _check_size(file: File) -> None:
    size = sum(member.file_size for member in _parts(file))
    if size > MOST_BYTES:
        why = f"The pickles in it have {size} bytes; {MOST_BYTES} are allowed."
        raise pickled(file, why)


def _parts(file: File) -> list[zipfile.ZipInfo]:
    """Members of an archive that torch may take for a pickle; it does not heed the case."""
    return [member for member in file.members if member.filename.lower().endswith(".pkl")]


def _pickles(file: File) -> Iterator[bytes | mmap.mmap]:
    """The pickled parts of an archive, else the whole file, mapped."""
    if not file.members:
        with (
            file.path.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as whole,
        ):
            yield whole
        return
    with zipfile.ZipFile(file.path) as archive:
        for member in _parts(file):
            yield archive.read(member)


def _refusal(file: File, raw: bytes | mmap.mmap) -> RefusedFile | None:
    """Why the pickle is not read, if so."""
    if raw.find(NUMPY) >= 0:
        return with_numpy(file)
    for sign, name in HUNGRY.items():
        if raw.find(sign) >= 0:
            return pickled(file, f"It asks for raw bytes ({name}), which tensors never need.")
    if isinstance(raw, bytes) and raw.count(EMPTY_SET) > MOST_SETS:
        return pickled(file, "It asks for many sets, which tensors never need.")
    name = foreign(raw[:MOST_BYTES])
    return needing(file, name) if name else None


class Metered:
    """A file that gives only so many pieces; reads into memory at hand are not counted.

    It has no ``fileno``: torch then leaves out the form of 2016, which unpacks a tar archive.
    """

    def __init__(self, file: File, path: Path) -> None:
        self._file, self._stream, self._left = file, path.open("rb"), MOST_STEPS
        self.readinto, self.seek, self.tell = (
            self._stream.readinto,
            self._stream.seek,
            self._stream.tell,
        )

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes. Raises RefusedFile once there were too many."""
        self._count()
        return self._stream.read(size)

    def readline(self) -> bytes:
        """The next line. Raises RefusedFile once there were too many."""
        self._count()
        return self._stream.readline()

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            why = f"Its pickle has over {MOST_STEPS} parts."
            raise pickled(self._file, why)

    def __enter__(self) -> Metered:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()


def pickled(file: File, why: str) -> RefusedFile:
    """The refusal of a pickle; L02 where its name says that it is an array."""
    code = "L02" if file.shown.endswith((".npy", ".npz")) else "L01"
    do = "Save the model's state_dict() with torch.save, or convert it to safetensors."
    return RefusedFile(f"{file.shown} is not loaded.", why, do, code=code)


def needing(file: File, name: str) -> RefusedFile:
    """The refusal of a pickle that names what no state dict needs."""
    return pickled(file, f"It needs {name[:120]}, and loading that may run code.")


def with_numpy(file: File) -> RefusedFile:
    """The refusal of a checkpoint that holds what NumPy made: harmless, and common."""
    why = "It contains a NumPy array or number, which torch reads only by running code."
    do = "Save that with numpy.savez, or turn it into a tensor before torch.save."
    return RefusedFile(f"{file.shown} holds more than tensors.", why, do, code="L03")


def damaged(file: File) -> RefusedFile:
    """The refusal of a checkpoint that is cut or altered."""
    why = "Its records do not fit together."
    return RefusedFile(f"{file.shown} is damaged.", why, "Save or download it again.", code="L01")
