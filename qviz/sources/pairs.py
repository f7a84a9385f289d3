"""Integer tensors whose scale and zero point lie beside them under names that say so.

``w`` goes with ``w_scale``, ``w.scale``, ``w/scales`` ... and, if there is one, ``w_zero_point``,
``w.zp`` ...; a plain ``scale`` goes with the only 8-bit integers of its folder.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.sources.codes import Scaled, is_integer, scaled
from qviz.sources.contents import Contents

PAIRS = 5_000  # of one file: their scales and zero points are read on opening
PARAMETERS = 2**22  # elements of these
SCALE, ZERO, MORE = "scale", "zero point", "more"
_PART = re.compile(
    r"(?P<of>.*)(?P<mark>[._/-]|^)"
    r"(?:(?P<scale>scales?)|(?P<zero>q?zeros?|zero_?points?|zps?)"
    r"|(?P<more>scales?_[a-z0-9]+|shape|offsets?))",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
_PACKED = re.compile(r"qweight|w_q|.*packed", re.IGNORECASE | re.DOTALL)
_BYTES = ("int8", "uint8")
_FLOATS = ("float16", "float32", "float64", "bfloat16")
_UNREADABLE = (OSError, ValueError, RuntimeError, MemoryError)


class _Part(NamedTuple):
    """A tensor that by its name is a scale, a zero point, or something more, of one beside it."""

    kind: str
    name: str


def add_pairs(contents: Contents) -> None:
    """Give integers the scale and zero point that lie beside them, and add the reals.

    One scale is for the whole tensor; several are for the slices of the one axis that they fit.
    Where something speaks against it, the codes stay alone and say why.
    """
    found, reading, known = contents.found, _Reading(contents), dict[str, Scaled]()
    for name, parts in _candidates(contents):
        try:
            known[name] = reading.qparams(name, parts)
        except QvizError as error:
            why = f"{error.what} {error.why}".strip()
            found[name] = replace(found[name], about=f"{found[name].about} {why}".strip())
        else:
            _tell(contents, name, parts)
    contents.give(known)


def _tell(contents: Contents, name: str, parts: list[_Part]) -> None:
    """Say of each part what it is; the codes depend on what files the parts lie in."""
    found = contents.found
    for part in parts:
        about = f"The {part.kind} of {name}."
        was = found[part.name]
        found[part.name] = replace(was, about=about, role="unknown", parameter=True)
    mark = "".join(found[n].mark for n in (name, *(part.name for part in parts)))
    found[name] = replace(found[name], mark=mark)


def _candidates(contents: Contents) -> list[tuple[str, list[_Part]]]:
    """Integers without a scale so far, with the parts beside them, one scale at least."""
    named: dict[str, list[_Part]] = defaultdict(list)  # by the tensor whose name they begin with
    shared: dict[str, list[_Part]] = defaultdict(list)  # by their folder
    integers: dict[str, list[str]] = defaultdict(list)  # by their folder
    for name, found in contents.found.items():
        part = _PART.fullmatch(name)
        kind = "" if part is None else SCALE if part["scale"] else ZERO if part["zero"] else MORE
        if part:
            named[part["of"]].append(_Part(kind, name))
            if part["mark"] in ("", ".", "/"):
                shared[part["of"] + part["mark"]].append(_Part(kind, name))
        if kind in ("", MORE) and is_integer(found.dtype) and found.qparams is None:
            integers[_folder(name)].append(name)
    pairs = [(name, named[name]) for names in integers.values() for name in names if name in named]
    for folder, names in integers.items():
        codes = [n for n in names if _byte_codes(contents, n) and not _scale(named.get(n, []))]
        if len(codes) == 1 and folder in shared:
            pairs.append((codes[0], named.get(codes[0], []) + shared[folder]))
    return [(name, parts) for name, parts in pairs if _scale(parts)]


def _folder(name: str) -> str:
    return name[: max(name.rfind("."), name.rfind("/")) + 1]


def _scale(parts: list[_Part]) -> bool:
    return any(part.kind == SCALE for part in parts)


def _byte_codes(contents: Contents, name: str) -> bool:
    """8-bit integers, several: no counter or switch that a module keeps beside its scale."""
    found = contents.found[name]
    return found.dtype in _BYTES and prod(found.shape) > 1


class _Reading:
    """Reads scales and zero points, so many in all, and checks that they go with their codes."""

    def __init__(self, contents: Contents) -> None:
        self._found, self._pairs, self._left = contents.found, PAIRS, PARAMETERS

    def qparams(self, name: str, parts: list[_Part]) -> Scaled:
        """Scale and zero point of one tensor. Raises QvizError where there is any doubt."""
        codes = self._found[name]
        scale, zero = self._named(parts)
        if codes.dtype != "int8" and _PACKED.fullmatch(name[len(_folder(name)) :]):
            raise _doubt("its name says that several codes share an element")
        if self._found[scale].dtype not in _FLOATS:
            raise _doubt(f"{scale[:80]} is {self._found[scale].dtype}")
        axis = self._axis(scale, codes.shape)
        if zero and self._axis(zero, codes.shape) not in (None, axis):
            raise _doubt(f"{zero[:80]} lies along another axis")
        zeros = self._values(zero) if zero else 0
        return scaled(self._values(scale), zeros, codes.shape, axis, dtype=codes.dtype)

    def _named(self, parts: list[_Part]) -> tuple[str, str]:
        """The scale, and the zero point or nothing."""
        names = {kind: [p.name for p in parts if p.kind == kind] for kind in (SCALE, ZERO, MORE)}
        several = next((n for n in names.values() if len(n) > 1), names[MORE])
        self._pairs -= 1
        if several:
            raise _doubt(f"{several[-1][:80]} lies beside it, too")
        if self._pairs < 0:
            raise _doubt(f"only {PAIRS} pairs of a file are looked at")
        return names[SCALE][0], next(iter(names[ZERO]), "")

    def _axis(self, part: str, shape: tuple[int, ...]) -> int | None:
        """The axis whose slices a part is for; None for all of the tensor."""
        extents = self._found[part].shape
        if prod(extents) == 1:
            return None
        if len(extents) == 1:
            fits = [axis for axis, n in enumerate(shape) if n == extents[0]]
        else:
            fits = [axis for axis, n in enumerate(extents) if n > 1]
            same = len(extents) == len(shape) and all(extents[a] == shape[a] for a in fits)
            fits = fits if same else []
        if len(fits) != 1:
            how = "several axes" if fits else "no axis alone"
            raise _doubt(f"{part[:80]} of shape {extents} fits {how} of {shape}")
        return fits[0]

    def _values(self, part: str) -> np.ndarray:
        """The elements, as float64."""
        found = self._found[part]
        self._left -= prod(found.shape)
        if self._left < 0:
            raise _doubt(f"only {PARAMETERS} scales and zero points of a file are read")
        try:
            values = xp.host(xp.astype(found.read(), "float64"))
        except _UNREADABLE as error:
            raise _doubt(f"{part[:80]} cannot be read") from error
        return values.reshape(() if values.size == 1 else -1)


def _doubt(why: str) -> QvizError:
    return QvizError("Its scale is not taken up:", f"{why}.")
