"""Scale and zero point of codes, in a JSON file beside them: ``codes.npy``, ``codes.json``.

It reads ``{"scale": number or list, "zero_point": whole number or list, "axis": number}``;
all but ``scale`` may be left out. A file without ``scale`` says nothing of codes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qviz.errors import QvizError, RefusedFile
from qviz.sources.codes import VALUES, is_integer, scaled
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found
from qviz.sources.jsonfile import read_json

MOST = 2**20  # bytes
CODE = "L11"


def add_with_sidecar(contents: Contents, found: Found) -> None:
    """Add integer codes with what the file beside says of them; anything else as it is.

    An upload stands alone: only a file opened by its path has one beside it.
    """
    file = contents.file
    beside = File(file.path.with_suffix(".json"), f"{file.path.stem}.json")
    by_path = file.path.name == file.shown
    try:
        if by_path and is_integer(found.dtype) and beside.path.is_file():
            found = _scaled(found, read_json(beside, MOST, CODE), beside.fingerprint)
    except QvizError as error:
        why = f"{beside.shown}: {error.what} {error.why}"
        contents.skip(
            found.name + VALUES, RefusedFile(error.what, why, error.do, code=error.code or CODE)
        )
    contents.add(found)


def _scaled(found: Found, said: Any, mark: str) -> Found:
    if not isinstance(said, dict) or "scale" not in said:
        return found
    axis = said.get("axis")
    if axis is not None and type(axis) is not int:
        raise QvizError("The axis is not a whole number.", "", "Write it again.")
    q = scaled(said["scale"], said.get("zero_point", 0), found.shape, axis, dtype=found.dtype)
    return replace(found, qparams=q, mark=mark)
