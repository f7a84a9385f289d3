"""Arrays over the bytes of a file, and the late import of torch."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from qviz.errors import QvizError
from qviz.sources.file import File


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


def mapped_tensor(file: File, dtype: str, offset: int, nbytes: int, shape: tuple[int, ...]) -> Any:
    """Bytes of the file as a torch tensor of a type that NumPy lacks.

    The map is private, copied only where written: torch warns of a read-only one.
    """
    torch = late_torch()
    kind = getattr(torch, dtype)
    if not nbytes:
        return torch.empty(shape, dtype=kind)
    raw = np.memmap(file.path, np.uint8, "c", offset, (nbytes,))
    if offset % kind.itemsize:  # torch counts on aligned elements
        raw = np.array(raw)
    return torch.from_numpy(raw).view(kind).reshape(shape)


def from_ml_dtypes(array: np.ndarray, dtype: str) -> Any:
    """The array as it is, or as a torch tensor where NumPy lacks the type and ml_dtypes has it."""
    if array.dtype.kind != "V" and array.dtype.name == dtype and array.dtype.isbuiltin == 1:
        return array
    torch = late_torch()
    kind = getattr(torch, dtype)
    if not array.size:
        return torch.empty(array.shape, dtype=kind)
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return torch.from_numpy(raw).view(kind).reshape(array.shape)
