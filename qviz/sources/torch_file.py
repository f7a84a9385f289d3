"""torch.save files: tensors of a checkpoint, read without running anything stored in it."""

from __future__ import annotations

import mmap
import pickle
import re
import struct
import threading
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.base import DAMAGED_ZIP, LOADERS, File, Loader, TensorSource
from qviz.sources.contents import Contents, late_torch
from qviz.sources.torch_tensors import sort

SOURCE = Source("PyTorch", "torch.load with weights_only", "2.6 to 2.13")
PICKLE = b"\x80"
LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # torch.save before 1.6: a magic number
PROGRAMS = {"constants.pkl", "archive_format", "serialized_exported_program.json"}
# Harmless by itself, but ``bytearray(2**40)`` is a short pickle that fills the memory.
HUNGRY = b"\nbytearray\n"
DEPTH = 32  # of nested dicts and lists
# What unrolling may cost in all: a short pickle may hold lists whose items are one same list.
# A tensor or container costs 1000 and its name's length, anything else 10.
BUDGET = 10**8
BROKEN = (  # what torch.load raises on a file that is cut or altered
    *(RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError),
    *(ArithmeticError, EOFError, MemoryError, ImportError, struct.error),
)
_ONE_AT_A_TIME = threading.Lock()  # warning filters belong to the process


@LOADERS.register("torch", title="PyTorch checkpoint (.pt, .pth, .bin)", source=SOURCE)
class TorchLoader(Loader):
    """All tensors of a checkpoint, names joined with dots; zip files are mapped."""

    suffixes = (".pt", ".pth", ".bin")

    def matches(self, file: File) -> bool:
        bare = file.head.startswith(PICKLE) and file.head[1:2] in b"\2\3\4\5"
        return bare or bool(_basenames(file) & (PROGRAMS | {"data.pkl"}))

    def open(self, file: File) -> TensorSource:
        if file.members:
            _check_archive(file)
        elif not file.head.startswith(LEGACY):
            raise _pickled(file, "It is a bare pickle, which may run code on loading.")
        _check_pickle(file)
        contents = Contents(file, "L07")
        for name, tensor in flatten(_load(file), file):
            sort(contents, name, tensor)
        return contents.source()


def _basenames(file: File) -> set[str]:
    return {PurePosixPath(member.filename).name for member in file.members}


def _check_archive(file: File) -> None:
    programs = sorted(PROGRAMS & _basenames(file))
    if programs:
        raise RefusedFile(
            f"{file.shown} is a program, not tensors.",
            f"It holds {programs[0]}, as TorchScript and torch.export archives do.",
            "Save the module's state_dict() instead.",
            code="L08",
        )
    packed = [m for m in file.members if m.compress_type != zipfile.ZIP_STORED]
    if packed:
        raise RefusedFile(
            f"{file.shown} is not unpacked.",
            f"{len(packed)} of its members are compressed, which torch.save never does.",
            "Save it again with torch.save.",
            code="L05",
        )


def _check_pickle(file: File) -> None:
    try:
        hungry = any(HUNGRY in raw for raw in _pickles(file))
    except DAMAGED_ZIP as error:
        raise _damaged(file) from error
    if hungry:
        raise _pickled(file, "It asks for raw memory (bytearray), which tensors never need.")


def _pickles(file: File) -> Iterator[bytes]:
    """The pickled parts: all members of that name in an archive, else the whole file."""
    if not file.members:
        with (
            file.path.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as whole,
        ):
            yield HUNGRY if whole.find(HUNGRY) >= 0 else b""
        return
    with zipfile.ZipFile(file.path) as archive:
        for member in file.members:
            if member.filename.endswith(".pkl"):
                yield archive.read(member)


def _load(file: File) -> Any:
    """The object in the file: dicts and lists of tensors and numbers, nothing else."""
    torch = late_torch()
    # torch.load maps by path only, and hands a path with this ending to another reader.
    by_path = bool(file.members) and file.path.suffix != ".safetensors"
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings(), file.path.open("rb") as stream:
            warnings.simplefilter("ignore")
            what = file.path if by_path else stream
            return torch.load(what, map_location="cpu", weights_only=True, mmap=by_path)
    except pickle.UnpicklingError as error:
        raise _translated(file, str(error)) from error
    except BROKEN as error:
        raise _damaged(file) from error


def _translated(file: File, message: str) -> RefusedFile:
    if "must be imported to load" in message:
        why = "It holds nested or distributed tensors."
        return RefusedFile(
            f"{file.shown} is not read.", why, "Save them as plain tensors.", code="L07"
        )
    needed = re.search(r"GLOBAL ([\w.]+)", message)
    name = needed.group(1) if needed else "an instruction beyond plain tensors"
    if name.startswith("numpy."):
        why = "It contains a NumPy array or number, which torch reads only by running code."
        do = "Save that with numpy.savez, or turn it into a tensor before torch.save."
        return RefusedFile(f"{file.shown} holds more than tensors.", why, do, code="L03")
    return _pickled(file, f"It needs {name[:120]}, and loading that may run code.")


def _pickled(file: File, why: str) -> RefusedFile:
    code = "L02" if file.shown.endswith((".npy", ".npz")) else "L01"
    do = "Save the model's state_dict() with torch.save, or convert it to safetensors."
    return RefusedFile(f"{file.shown} is not loaded.", why, do, code=code)


def _damaged(file: File) -> RefusedFile:
    why = "Its records do not fit together."
    return RefusedFile(f"{file.shown} is damaged.", why, "Save or download it again.", code="L01")


def flatten(loaded: Any, file: File) -> Iterator[tuple[str, Any]]:
    """Tensors with their dotted names, in the order of the file; other entries are passed over."""
    torch = late_torch()
    kinds = (torch.Tensor, dict, list, tuple)
    spent = 0
    waiting: list[tuple[int, str, Any]] = [(0, "", loaded)]
    while waiting:
        depth, name, value = waiting.pop()
        if isinstance(value, torch.Tensor):
            yield name or "tensor", value
        elif isinstance(value, kinds):
            inner = []
            for key, entry in _items(value):
                spent += 10
                if isinstance(entry, kinds):
                    inner.append((depth + 1, f"{name}.{key}" if name else key, entry))
                    spent += 1000 + len(inner[-1][1])
                if depth >= DEPTH or spent > BUDGET:
                    raise _unrolled(file)
            waiting += reversed(inner)


def _unrolled(file: File) -> RefusedFile:
    why = f"Its entries nest deeper than {DEPTH}, or there are too many."
    do = "Save the tensors in one flat dict."
    return RefusedFile(f"{file.shown} is not read.", why, do, code="L01")


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    """Keys as text; by the type's own iterator, as a pickle may hide ``items``."""
    if not isinstance(value, dict):
        yield from ((str(index), entry) for index, entry in enumerate(value))
        return
    for index, key in enumerate(value):
        plain = isinstance(key, str | int | float)
        yield str(key) if plain else str(index), value[key]
