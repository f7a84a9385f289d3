"""The loader of saved captures."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

import numpy as np

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.base import LOADERS, ROLES, Loader, TensorInfo, TensorSource
from qviz.sources.captured.gathered import ChannelEnds, Gathered, top_code
from qviz.sources.captured.source import Captured
from qviz.sources.captured.writing import FORMAT, LENGTHS, MARK, NUMBERS, VERSION
from qviz.sources.file import DAMAGED_ZIP, File
from qviz.sources.npz import NpzLoader

SOURCE = Source("qviz", "docs/capture.md", str(VERSION))
LARGEST = 64 * 2**20  # bytes of capture.json
KINDS = ("float16", "float32", "float64")
CODE = "L04"
_WRONG = (*DAMAGED_ZIP, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


@LOADERS.register("capture", title="Saved capture (.npz)", source=SOURCE)
class CaptureLoader(Loader):
    """The tensors of a model that ran, with their statistics; recognised by capture.json."""

    suffixes = (".npz",)

    def matches(self, file: File) -> bool:
        return any(member.filename == MARK for member in file.members)

    def open(self, file: File) -> TensorSource:
        arrays = NpzLoader().open(file)
        try:
            said = _said(file)
            if said["format"] != FORMAT or said["version"] != VERSION:
                raise _damaged(file, f"It is of version {str(said['version'])[:20]}, not {VERSION}")
            return _captured(file, said, arrays)
        except _WRONG as error:
            raise _damaged(file, "Its parts do not go together") from error


def _said(file: File) -> dict[str, Any]:
    (member,) = (m for m in file.members if m.filename == MARK)
    if member.file_size > LARGEST or member.compress_type != zipfile.ZIP_STORED:
        raise _damaged(file, f"{MARK} is too large, or deflated")
    with zipfile.ZipFile(file.path) as archive, archive.open(member) as stream:
        return json.loads(stream.read(LARGEST))


def _captured(file: File, said: Mapping[str, Any], arrays: TensorSource) -> Captured:
    numbers = {name: _numbers(arrays, name) for name in NUMBERS}
    ends = np.cumsum(numbers["lengths"], axis=0)
    infos: dict[str, TensorInfo] = {}
    gathered: dict[str, Gathered] = {}
    readers: dict[str, Callable[[], Any]] = {}
    for at, tensor in enumerate(said["tensors"]):
        info = _info(file, tensor)
        cuts = {
            name: slice(end - length, end)
            for name, end, length in zip(LENGTHS, ends[at], numbers["lengths"][at], strict=True)
        }
        infos[info.name] = info
        gathered[info.name] = _gathered(tensor, at, numbers, cuts)
        if tensor["values"] is not None:
            readers[info.name] = _reader(arrays, f"values/{int(tensor['values'])}", info)
    return Captured(
        file.shown,
        infos,
        {str(name): str(reason) for name, reason in said["skipped"].items()},
        {tensor["name"]: str(tensor["op"]) for tensor in said["tensors"]},
        {name: None if g.channels is None else g.channels.axis for name, g in gathered.items()},
        gathered,
        readers,
    )


def _numbers(arrays: TensorSource, name: str) -> np.ndarray:
    dtype, width = NUMBERS[name]
    array = arrays[name]
    if array.dtype != np.dtype(dtype) or array.ndim != (2 if width else 1):
        raise TypeError(name)
    if width and array.shape[1] != width:
        raise ValueError(name)
    if name == "lengths" and array.size and array.min() < 0:
        raise ValueError(name)
    return array


def _info(file: File, tensor: Mapping[str, Any]) -> TensorInfo:
    name, dtype = str(tensor["name"]), str(np.dtype(tensor["dtype"]).name)
    shape = tuple(int(n) for n in tensor["shape"])
    splits = tuple(int(n) for n in tensor["splits"])
    parted = len(shape) > 0 and min(splits, default=0) >= 0 and sum(splits) == shape[0]
    if tensor["role"] not in ROLES or min(shape, default=0) < 0 or (splits and not parted):
        raise ValueError(name)
    mark = file.fingerprint_of(name, shape, dtype)
    return TensorInfo(name, shape, dtype, mark, str(tensor["role"]), splits=splits)


def _gathered(
    tensor: Mapping[str, Any],
    at: int,
    numbers: Mapping[str, np.ndarray],
    cuts: Mapping[str, slice],
) -> Gathered:
    part = {name: numbers[name][cut] for name, cut in cuts.items()}
    part["counts"] = numbers["counts"][cuts["codes"]]
    part["repeats"] = numbers["repeats"][cuts["distinct"]]
    if not _fits(tensor, part):
        raise ValueError(tensor["name"])
    axis, ends, by_value = tensor["axis"], part["channels"], tensor["sketch"] == "sorted"
    return Gathered(
        tensor["kind"],
        by_value or bool(tensor["exact"]),
        part["extremes"],
        numbers["moments"][at],
        None if axis is None else ChannelEnds(int(axis), ends[:, 0], ends[:, 1]),
        part["distinct"] if tensor["few"] else None,
        part["repeats"] if tensor["few"] else None,
        part["sorted"] if by_value else None,
        None if by_value else part["codes"],
        None if by_value else part["counts"],
    )


def _fits(tensor: Mapping[str, Any], part: Mapping[str, np.ndarray]) -> bool:
    """Whether the numbers of a tensor agree with its shape and with each other."""
    size, counts, codes = prod(tensor["shape"]), part["counts"], part["codes"]
    known = tensor["kind"] in KINDS and np.isfinite(part["extremes"][:, 2:]).all()
    if not known or part["extremes"][:, 2].sum() != size or len(part["extremes"]) == 0:
        return False
    if len(part["distinct"]) != len(part["repeats"]) or not _fits_axis(tensor, part["channels"]):
        return False
    if tensor["sketch"] == "sorted":
        return len(part["sorted"]) == size
    within = len(codes) == len(counts) and codes.max(initial=0) <= top_code(tensor["kind"])
    return within and counts.min(initial=0) >= 0 and counts.sum() <= size


def _fits_axis(tensor: Mapping[str, Any], ends: np.ndarray) -> bool:
    axis, shape = tensor["axis"], tensor["shape"]
    return axis is None or (0 <= axis < len(shape) and len(ends) == shape[axis])


def _reader(arrays: TensorSource, member: str, info: TensorInfo) -> Callable[[], Any]:
    stored = arrays.info(member)
    if stored.shape != info.shape or stored.dtype != info.dtype:
        raise ValueError(member)
    return partial(arrays.read, member)


def _damaged(file: File, why: str) -> RefusedFile:
    return RefusedFile(
        f"{file.shown} is a damaged capture.", f"{why}.", "Capture the model again.", code=CODE
    )
