"""The loader of ONNX models: initializers and constants, with roles, scales and zero points."""

from __future__ import annotations

import mmap
from dataclasses import replace

import numpy as np

from qviz import xp
from qviz.errors import QvizError, RefusedFile
from qviz.registry import Source
from qviz.sources.base import LOADERS, Loader, TensorSource
from qviz.sources.codes import VALUES, Scaled, scaled
from qviz.sources.contents import Contents, FileSource
from qviz.sources.file import HEAD, File
from qviz.sources.found import Found
from qviz.sources.onnx.meaning import Meaning, Scaling, place
from qviz.sources.onnx.reader import Reader
from qviz.sources.onnx.records import Scope
from qviz.sources.onnx.values import element_type, found_in
from qviz.sources.onnx.wire import BYTES, CODE, VARINT, Wire

SOURCE = Source("ONNX", "onnx.proto", "IR 3 to 14")
VERSIONS = 64  # far above any version of the format
PARAMETERS = 2**24  # scales and zero points decoded on opening
_BY_NUMBER = {1: VARINT, 5: VARINT} | dict.fromkeys((2, 3, 4, 6, 7, 8, 14, 20, 25, 26), BYTES)
_SECOND = {bytes([field << 3 | BYTES]) for field in (2, 3, 4, 6, 7, 8, 14)}  # after the version


@LOADERS.register("onnx", title="ONNX model (.onnx)", source=SOURCE)
class OnnxLoader(Loader):
    """Every stored tensor of a model; the graph is walked once, and nothing of it is run."""

    suffixes = (".onnx",)

    def matches(self, file: File) -> bool:
        return file.head[:1] in (b"\x08", b"\x12", b"\x3a", b"\x42") and _is_model(file.head)

    def open(self, file: File) -> TensorSource:
        return _contents(file).source()

    def open_graph(self, file: File) -> TensorSource:
        """As ``open``; of a model that stores nothing readable a source without tensors."""
        contents = _contents(file)
        if contents.found:
            return contents.source()
        skipped = {name: f"{one.why} ({one.code})" for name, one in contents.refused.items()}
        return FileSource(file.shown, {}, skipped, file, {}, CODE)


def _contents(file: File) -> Contents:
    contents = Contents(file, CODE)
    with (
        file.path.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        reader = Reader(Wire(data, file.shown))
        scopes = reader.model(len(data))
        if not reader.graphs:
            raise reader.wire.damaged("It holds no graph.")
        _gather(contents, reader.wire, scopes)
    return contents


def _is_model(head: bytes) -> bool:
    """Whether the first records are those of a model, in kinds and version.

    Where the last of them is cut off, by the head's end or the file's, those before it tell.
    """
    wire, met, version = Wire(head, ""), 0, 1
    try:
        for number, kind, a, _ in wire.fields(0, len(head)):
            if _BY_NUMBER.get(number) != kind:
                return False
            met += 1
            version = a if number == 1 else version
    except RefusedFile:  # the head ends inside a record, or it is none
        long = len(head) == HEAD and (met > 0 or head[:1] == b"\x3a")
        short = met > 0 and head[:1] == b"\x08" and head[2:3] in _SECOND
        return (long or short) and 0 < version <= VERSIONS
    return 0 < version <= VERSIONS


def _gather(contents: Contents, wire: Wire, scopes: list[Scope]) -> None:
    meaning, parameters = Meaning(scopes), _Parameters(contents.file, wire)
    for scope in scopes:
        for name, stored in scope.constants:
            shown = scope.prefix + (name or "unnamed")
            try:
                found = found_in(contents.file, wire, shown, stored)
            except RefusedFile as refusal:
                contents.skip(shown, refusal)
                continue
            at = place(scope, name)
            about = meaning.parameters.get(at) or found.about
            known = at in meaning.parameters
            role = "unknown" if known else meaning.role(scope, name, len(found.shape))
            found = replace(found, role=role, parameter=known)
            _add(contents, replace(found, about=about), meaning.scalings.get(at), parameters)
        for name in scope.sparse:
            contents.skip(scope.prefix + name, _sparse())


def _add(
    contents: Contents, found: Found, scaling: Scaling | None, parameters: _Parameters
) -> None:
    try:
        if scaling is not None:
            found = replace(found, qparams=parameters.scaled(found, scaling))
    except QvizError as error:
        why = f"{error.what} {error.why}".strip()
        contents.skip(
            found.name + VALUES, RefusedFile(error.what, why, error.do, code=error.code or CODE)
        )
    contents.add(found)


class _Parameters:
    """Scales and zero points, each decoded once, up to a number in all."""

    def __init__(self, file: File, wire: Wire) -> None:
        self._file, self._wire, self._left = file, wire, PARAMETERS
        self._kept: dict[tuple[int, int], tuple[np.ndarray, str]] = {}

    def scaled(self, found: Found, scaling: Scaling) -> Scaled | None:
        """The parameters of a constant; None where the graph computes them."""
        scale = self._values(scaling.scope, scaling.scale)
        zero = self._values(scaling.scope, scaling.zero_point)
        if scale is None or (scaling.zero_point and zero is None):
            return None
        codes = found.about.removeprefix("Stored as ").rstrip(".") if found.about else ""
        dtype = zero[1] if zero else codes or found.dtype
        axis = scaling.axis if found.shape else None
        values = zero[0] if zero else 0
        return scaled(scale[0], values, found.shape, axis, scaling.block, dtype)

    def _values(self, scope: Scope, name: str) -> tuple[np.ndarray, str] | None:
        at = scope.find(name) if name else None
        if at is None:
            return None
        owner, index = at
        key = (id(owner), index)
        if key not in self._kept:
            stored = owner.constants[index][1]
            found = found_in(self._file, self._wire, name, stored)
            self._left -= int(np.prod(found.shape, dtype=object))
            if self._left < 0:
                raise QvizError("There are too many scales to read on opening.", "", "")
            array = xp.host(xp.astype(found.read(), "float64"))
            self._kept[key] = (np.array(array), element_type(stored))
        return self._kept[key]


def _sparse() -> RefusedFile:
    why = "A sparse tensor is not read."
    return RefusedFile("A tensor is skipped.", why, "Save it as a dense one.", code="L07")
