"""torch.save files: tensors of a checkpoint, read without running anything stored in it."""

from __future__ import annotations

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
from qviz.sources.arrays import late_torch
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.batches import add_batches
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.pairs import add_pairs
from qviz.sources.pickle_names import BEYOND
from qviz.sources.pickles import Metered, check_pickles, damaged, needing, pickled, with_numpy
from qviz.sources.torch_tensors import sort

SOURCE = Source("PyTorch", "torch.load with weights_only", "2.6 to 2.13")
PICKLE = b"\x80"
LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # torch.save before 1.6: a magic number
PROGRAMS = {"constants.pkl", "archive_format", "serialized_exported_program.json"}
DEPTH = 32  # of nested dicts and lists
# What unrolling may cost in all: a short pickle may hold lists whose items are one same list.
# A tensor or container costs 1000 and its name's length, anything else 10.
BUDGET = 4 * 10**7
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
            refuse_program(file)
            _check_packing(file)
        elif not file.head.startswith(LEGACY):
            raise pickled(file, "It is a bare pickle, which may run code on loading.")
        check_pickles(file)
        contents = Contents(file, "L07")
        for name, tensor in flatten(_load(file), file):
            sort(contents, name, tensor)
        add_pairs(contents)
        add_batches(contents)
        return contents.source()


def _basenames(file: File) -> set[str]:
    return {PurePosixPath(member.filename).name for member in file.members}


def refuse_program(file: File) -> None:
    """Raise RefusedFile (L08) where the file is a TorchScript or torch.export archive."""
    programs = sorted(PROGRAMS & _basenames(file))
    if programs:
        raise RefusedFile(
            f"{file.shown} is a program, not tensors.",
            f"It holds {programs[0]}, as TorchScript and torch.export archives do.",
            "Save the module's state_dict(), or run it: pass the module itself to qviz.capture in"
            " Python, or export it to ONNX.",
            code="L08",
        )


def _check_packing(file: File) -> None:
    packed = [m for m in file.members if m.compress_type != zipfile.ZIP_STORED]
    if packed:
        raise RefusedFile(
            f"{file.shown} is not unpacked.",
            f"{len(packed)} of its members are compressed, which torch.save never does.",
            "Save it again with torch.save.",
            code="L05",
        )


def _load(file: File) -> Any:
    """The object in the file: dicts and lists of tensors and numbers, nothing else."""
    torch = late_torch()
    # torch.load maps by path only, and hands a path with this ending to another reader.
    by_path = bool(file.members) and file.path.suffix != ".safetensors"
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings(), Metered(file, file.path) as stream:
            warnings.simplefilter("ignore")
            what = file.path if by_path else stream
            return torch.load(what, map_location="cpu", weights_only=True, mmap=by_path)
    except pickle.UnpicklingError as error:
        raise _translated(file, str(error)) from error
    except BROKEN as error:
        raise damaged(file) from error


def _translated(file: File, message: str) -> RefusedFile:
    if "must be imported to load" in message:
        why = "It holds nested or distributed tensors."
        return RefusedFile(
            f"{file.shown} is not read.", why, "Save them as plain tensors.", code="L07"
        )
    needed = re.search(r"GLOBAL ([\w.]+)", message)
    name = needed.group(1) if needed else BEYOND
    if name.startswith("numpy."):
        return with_numpy(file)
    return needing(file, name)


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
