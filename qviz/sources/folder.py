"""A folder of bundled files with an index that says what each tensor is about.

``index.json`` reads ``{"files": [{"file", "tensors": {name: note}}]}``, a note being ``{"title",
"about", "role", "batch_axis"}``; all but ``file`` may be left out, and further fields are for
people.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from qviz.errors import QvizError
from qviz.sources.base import ROLES, TensorInfo, TensorSource, open_file
from qviz.sources.codes import VALUES
from qviz.sources.contents import FileSource

INDEX = "index.json"
LIGHT = (".npy", ".npz", ".safetensors")  # open without torch, which takes seconds to import


def bundled(folder: Path) -> dict[str, Path]:
    """Paths of the files that the folder's index lists, by name; empty without an index."""
    return {entry["file"]: folder / entry["file"] for entry in _index(folder)}


def open_bundled(folder: Path) -> dict[str, TensorSource]:
    """The bundled files that open fast, by name, with roles, batch axes and words of the index.

    Raises
    ------
    QvizError
        The index is none, names no known role, or lists a file that is missing or damaged.
    """
    return {
        entry["file"]: _noted(open_file(folder / entry["file"]), entry.get("tensors", {}))
        for entry in _index(folder)
        if entry["file"].endswith(LIGHT)
    }


def _noted(source: TensorSource, notes: dict[str, dict[str, Any]]) -> TensorSource:
    if not isinstance(source, FileSource):
        return source
    infos = {name: _info(info, _note(name, notes)) for name, info in source.infos.items()}
    return replace(source, infos=infos)


def _note(name: str, notes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The note of a tensor; the reals of codes share what is no word for people."""
    codes = name.removesuffix(VALUES)
    note = notes.get(codes, {})
    return note if name == codes else {k: note[k] for k in ("role", "batch_axis") if k in note}


def _info(info: TensorInfo, note: dict[str, Any]) -> TensorInfo:
    role = note.get("role", info.role)
    if role not in ROLES:
        raise QvizError(f"{role!r} is no role.", f"Roles: {', '.join(ROLES)}.", "Mend the index.")
    axis = note.get("batch_axis", info.batch_axis)
    words = {key: note.get(key) or getattr(info, key) for key in ("about", "title")}
    return replace(info, role=role, batch_axis=axis, **words)


def _index(folder: Path) -> list[dict[str, Any]]:
    path = folder / INDEX
    if not path.is_file():
        return []
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["files"]
        return [{**entry, "file": str(entry["file"])} for entry in entries]
    except (ValueError, LookupError, TypeError) as error:
        why = "It must hold a list of files, each with its name."
        raise QvizError(f"{INDEX} cannot be used.", why, "Write it again.") from error
