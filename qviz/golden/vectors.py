"""Folders of recorded vectors: a manifest of cases, and one flat buffer per element type."""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qviz.errors import QvizError

SCHEMA = "qviz-goldens/2"
DAMAGED = (OSError, EOFError, zipfile.BadZipFile, zlib.error)
UNFIT = (ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True, eq=False)
class Vectors:
    """A set: its name, its shared inputs, its cases with arrays in place."""

    name: str
    data: Mapping[str, Any]
    cases: tuple[Mapping[str, Any], ...]


def load(folder: Path) -> Vectors:
    """Read a folder of schema ``qviz-goldens/2``.

    Raises
    ------
    QvizError
        A file is missing or damaged, or of another schema.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        with (folder / "arrays.npz").open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            buffers = dict(file)
        if manifest.get("schema") != SCHEMA:
            raise QvizError(
                f"{folder.name} is of schema {manifest.get('schema')!r}.", f"{SCHEMA} is read."
            )
        cases = tuple(
            {"id": case["id"], "op": case["op"], **_placed(case, buffers)}
            for case in manifest["cases"]
        )
        return Vectors(str(manifest["set"]), _placed(manifest.get("data", {}), buffers), cases)
    except (*DAMAGED, *UNFIT) as error:
        raise QvizError(
            f"{folder.name or folder} holds no vectors that can be read.",
            "manifest.json and arrays.npz are needed.",
            "Check the folder.",
        ) from error


def _placed(value: Any, buffers: Mapping[str, np.ndarray]) -> Any:
    if isinstance(value, dict):
        if set(value) == {"array"}:
            dtype, offset, shape = value["array"]
            return buffers[dtype][offset : offset + math.prod(shape)].reshape(shape)
        return {key: _placed(part, buffers) for key, part in value.items()}
    return [_placed(part, buffers) for part in value] if isinstance(value, list) else value


def folders(root: Path) -> Iterator[Path]:
    """The folder itself if it holds a manifest, else those directly below that do."""
    if (root / "manifest.json").is_file():
        yield root
        return
    found = sorted(path.parent for path in root.glob("*/manifest.json"))
    if not found:
        raise QvizError(
            f"{root} holds no vectors.", "No manifest.json lies in it or directly below."
        )
    yield from found
