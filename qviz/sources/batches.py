"""Numbered arrays of one file, offered as the batches of one tensor."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

from qviz import xp
from qviz.sources.contents import Contents
from qviz.sources.found import Found

LARGEST = 4 * 2**30  # bytes of all batches together: they are copied side by side when read
_WORDS = "batch|arr|sample|step|calib|chunk|image|input|data|act|activation|x"
_NUMBERED = re.compile(rf"((?:{_WORDS})?s?[_\-. /]?)(\d{{1,9}})", re.IGNORECASE | re.ASCII)
_BYTES = 8  # at most, of an element


def add_batches(contents: Contents) -> None:
    """Add a tensor of all arrays called ``batch_0``, ``batch_1`` ... or ``arr_0`` or just ``0``.

    They must agree in type and in all axes but the first. Of equal length they are stacked along
    a new axis 0, whose slices are the batches; else joined along axis 0, with ``splits``.
    """
    families: dict[str, list[tuple[int, Found]]] = {}
    for name, found in contents.found.items():
        named = _NUMBERED.fullmatch(name)
        if named:
            families.setdefault(named[1], []).append((int(named[2]), found))
    for prefix, members in families.items():
        ordered = [found for _, found in sorted(members, key=lambda member: member[0])]
        bare = not prefix and len(ordered) < len(contents.found)  # a number alone says little
        if len(ordered) > 1 and _alike(ordered) and not bare:
            contents.add(_joined(f"{prefix}*" if prefix else "batches", ordered))


def _alike(members: list[Found]) -> bool:
    kinds = {(found.dtype, len(found.shape), found.shape[1:]) for found in members}
    rank = len(members[0].shape)
    size = sum(prod(found.shape) for found in members) * _BYTES
    plain = not any(found.qparams for found in members)
    return len(kinds) == 1 and rank > 0 and size <= LARGEST and plain


def _joined(name: str, members: list[Found]) -> Found:
    first, lengths = members[0], tuple(found.shape[0] for found in members)
    equal = len(set(lengths)) == 1
    shape = (len(members), *first.shape) if equal else (sum(lengths), *first.shape[1:])
    return Found(
        name,
        shape,
        first.dtype,
        _reader([found.read for found in members], equal),
        f"{len(members)} arrays of the file, each a batch.",
        "activation",
        batch_axis=0 if equal else None,
        splits=() if equal else lengths,
    )


def _reader(reads: list[Callable[[], Any]], equal: bool) -> Callable[[], Any]:
    def read() -> Any:
        arrays = [read() for read in reads]
        space = xp.namespace(arrays[0])
        return space.stack(arrays) if equal else space.concatenate(arrays)

    return read
