"""Small JSON files that come with tensors, read without trust: size, depth and doubles."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from qviz.errors import RefusedFile
from qviz.sources.file import File


def read_json(file: File, most: int, code: str) -> Any:
    """What the file says; a name that occurs twice in one object is refused.

    Raises
    ------
    RefusedFile
        More than ``most`` bytes, no JSON, too deep, or a name twice; with this code.
    """
    if file.size > most:
        raise _refusal(file, f"It has {file.size} bytes; {most} are allowed.", code)
    try:
        text = file.path.read_bytes().decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=partial(_once, file, code))
    except RecursionError as error:
        raise _refusal(file, "It nests too deep.", code) from error
    except ValueError as error:
        raise _refusal(file, "It is no JSON.", code) from error


def _once(file: File, code: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _refusal(file, f"It names {name[:80]!r} twice.", code)
        found[name] = value
    return found


def _refusal(file: File, why: str, code: str) -> RefusedFile:
    return RefusedFile(f"{file.shown} is not read.", why, "Write or copy it again.", code=code)
