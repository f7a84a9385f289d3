"""The loader of saved captures."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from qviz.errors import RefusedFile
from qviz.registry import Source
from qviz.sources.base import LOADERS, Loader, TensorInfo, TensorSource
from qviz.sources.captured.checking import Numbers
from qviz.sources.captured.described import Contradiction, Described, described, skipped
from qviz.sources.captured.gathered import ChannelEnds, Gathered
from qviz.sources.captured.source import Captured
from qviz.sources.captured.using import CODE, Checked, damaged, intact
from qviz.sources.captured.writing import FORMAT, LARGEST, LENGTHS, MARK, NUMBERS, VERSION
from qviz.sources.file import DAMAGED_ZIP, File
from qviz.sources.npz import NpzLoader

SOURCE = Source("qviz", "docs/capture.md", str(VERSION))
AT_ONCE = 32 * 2**20  # bytes of a capture that is checked whole when it is opened
EACH = 2**14  # bytes that a tensor counts for beside its own
_WRONG = (*DAMAGED_ZIP, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


@LOADERS.register("capture", title="Saved capture (.npz)", source=SOURCE)
class CaptureLoader(Loader):
    """The tensors of a model that ran, with their statistics; recognised by capture.json.

    Statistics that contradict each other are refused here; of a large capture some of them when
    their tensor is first used.
    """

    suffixes = (".npz",)

    def matches(self, file: File) -> bool:
        return any(member.filename == MARK for member in file.members)

    def open(self, file: File) -> TensorSource:
        try:
            said = _said(file)
            return _captured(file, said, NpzLoader().open(file))
        except Contradiction as error:
            raise damaged(file, f"What is wrong: {error}") from error
        except _WRONG as error:
            raise damaged(file, "Its parts do not go together") from error


def _said(file: File) -> Mapping[str, Any]:
    (member,) = (m for m in file.members if m.filename == MARK)
    plain = all(m.compress_type == zipfile.ZIP_STORED for m in file.members)
    if len({m.filename for m in file.members}) < len(file.members):
        raise damaged(file, "Two members have one name")
    if member.file_size > LARGEST or not plain:
        raise damaged(file, f"{MARK} is too large, or members are deflated")
    with zipfile.ZipFile(file.path) as archive, archive.open(member) as stream:
        said = json.loads(stream.read(LARGEST))
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise damaged(file, f"Its {MARK} does not say that it is a {FORMAT}")
    if said.get("version") != VERSION:
        raise RefusedFile(
            f"{file.shown} is a capture of another version.",
            f"It says {str(said.get('version'))[:20]}; version {VERSION} is read here.",
            "Capture the model again.",
            code=CODE,
        )
    return said


def _captured(file: File, said: Mapping[str, Any], arrays: TensorSource) -> Captured:
    tensors, members = described(said), {m.filename: m for m in file.members}
    numbers = {name: _numbers(arrays, name) for name in NUMBERS}
    for name in NUMBERS:
        if not intact(file, members[f"{name}.npy"]):
            raise Contradiction(f"the checksum of the member {name}")
    Numbers(tensors, numbers).check()
    infos = {t.name: _info(file, t) for t in tensors}
    found = dict(zip(infos, _gathered(tensors, numbers), strict=True))
    values = {t.name: _values(arrays, t) for t in tensors if t.values is not None}
    check = Checked(file, arrays, members, infos, found, values)
    if file.size + EACH * len(infos) <= AT_ONCE:
        for name in infos:
            check(name)
    return Captured(
        file.shown,
        infos,
        skipped(said),
        {t.name: t.op for t in tensors},
        {t.name: t.axis for t in tensors},
        found,
        {name: partial(arrays.read, member) for name, member in values.items()},
        check=check,
    )


def _numbers(arrays: TensorSource, name: str) -> np.ndarray:
    dtype, width = NUMBERS[name]
    array = arrays[name] if name in arrays.infos else None
    if (
        array is None
        or array.dtype != np.dtype(dtype)
        or array.shape[1:] != ((width,) * bool(width))
    ):
        raise Contradiction(f"the member {name}")
    return array


def _values(arrays: TensorSource, t: Described) -> str:
    """The member with the values of a tensor."""
    member = f"values/{t.values}"
    stored = arrays.infos.get(member)
    if stored is None or stored.shape != t.shape or stored.dtype != t.dtype:
        raise Contradiction(f"the member {member} and its shape or type")
    return member


def _info(file: File, t: Described) -> TensorInfo:
    mark = file.fingerprint_of(t.name, t.shape, t.dtype)
    return TensorInfo(t.name, t.shape, t.dtype, mark, t.role, splits=t.splits)


def _gathered(tensors: Sequence[Described], numbers: Mapping[str, np.ndarray]) -> list[Gathered]:
    ends = np.cumsum(numbers["lengths"], axis=0)
    return [
        _cut(t, numbers, numbers["moments"][at], _cuts(ends[at], numbers["lengths"][at]))
        for at, t in enumerate(tensors)
    ]


def _cuts(ends: np.ndarray, lengths: np.ndarray) -> dict[str, slice]:
    rows = zip(LENGTHS, ends.tolist(), lengths.tolist(), strict=True)
    return {name: slice(end - length, end) for name, end, length in rows}


def _cut(
    t: Described,
    numbers: Mapping[str, np.ndarray],
    moments: np.ndarray,
    cuts: Mapping[str, slice],
) -> Gathered:
    part = {name: numbers[name][cut] for name, cut in cuts.items()}
    part |= {name: numbers[name][cuts["counts"]] for name in ("lows", "highs")}
    part["repeats"] = numbers["repeats"][cuts["distinct"]]
    kept = ("sorted",) if t.sketch == "sorted" else ("lows", "highs", "counts")
    kept += ("distinct", "repeats") if t.few else ()
    ends = part["channels"]
    return Gathered(
        t.kind,
        part["extremes"],
        moments,
        None if t.axis is None else ChannelEnds(t.axis, ends[:, 0], ends[:, 1]),
        **{name: part[name] for name in kept},
    )
