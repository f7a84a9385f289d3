"""What a saved capture says of its tensors in words: read strictly, nothing is taken on trust."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np

from qviz import xp
from qviz.sources.base import ROLES
from qviz.sources.contents import MAX_EXTENT, MAX_RANK, MOST

KINDS = ("float16", "float32", "float64")
SKETCHES = ("sorted", "counts")
_PLAIN = (*KINDS, "bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
T = TypeVar("T")


class Contradiction(ValueError):
    """Parts of a capture that do not go together; the text names them."""


@dataclass(frozen=True)
class Described:
    """One tensor in ``capture.json``; docs/capture.md says what each field is."""

    name: str
    op: str
    role: str
    dtype: str
    kind: str
    shape: tuple[int, ...]
    splits: tuple[int, ...]
    axis: int | None
    sketch: str
    exact: bool
    few: bool
    values: int | None

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def parts(self) -> tuple[int, ...]:
        """Number of elements of each batch."""
        if not self.splits:
            return (self.size,)
        return tuple(length * prod(self.shape[1:]) for length in self.splits)

    @property
    def channels(self) -> int:
        """Number of channels with extremes of their own."""
        return 0 if self.axis is None else self.shape[self.axis]


def described(said: Mapping[str, Any]) -> tuple[Described, ...]:
    """All tensors. Raises Contradiction."""
    tensors = _of(list, said.get("tensors"), "its list of tensors")
    if not 0 < len(tensors) <= MOST:
        raise Contradiction("its list of tensors, which is empty or too long")
    found = tuple(
        _tensor(tensor, f"what it says of tensor {at}") for at, tensor in enumerate(tensors)
    )
    names, values = [t.name for t in found], [t.values for t in found if t.values is not None]
    if len(set(names)) < len(names) or len(set(values)) < len(values):
        raise Contradiction("its list of tensors, where two have one name or the same values")
    return found


def skipped(said: Mapping[str, Any]) -> dict[str, str]:
    """Names that were not captured, with the reasons. Raises Contradiction."""
    where = "its list of what was skipped"
    pairs = _of(dict, said.get("skipped"), where).items()
    return {_text(name, where): _text(reason, where) for name, reason in pairs}


def _tensor(said: Any, where: str) -> Described:
    said = _of(dict, said, where)
    found = Described(
        name=_text(said.get("name"), where),
        op=_text(said.get("op"), where),
        role=_text(said.get("role"), where),
        dtype=_text(said.get("dtype"), where),
        kind=_text(said.get("kind"), where),
        shape=_lengths(said.get("shape"), where),
        splits=_lengths(said.get("splits"), where),
        axis=_index(said.get("axis"), where),
        sketch=_text(said.get("sketch"), where),
        exact=_of(bool, said.get("exact"), where),
        few=_of(bool, said.get("few"), where),
        values=_index(said.get("values"), where),
    )
    if not (_known(found) and _whole(found)):
        raise Contradiction(where)
    return found


def _known(t: Described) -> bool:
    small = t.dtype == "bfloat16" or t.dtype.startswith("float8_")  # NumPy has no such types
    if not (small or t.dtype in _PLAIN) or not t.name:
        return False
    kind = "float32" if small else xp.working_name(np.zeros(0, t.dtype))
    return t.role in ROLES and t.sketch in SKETCHES and t.kind == kind


def _whole(t: Described) -> bool:
    """Whether lengths fit together."""
    if len(t.shape) > MAX_RANK or prod(max(n, 1) for n in t.shape) > MAX_EXTENT:
        return False
    parted = not t.splits or (bool(t.shape) and sum(t.splits) == t.shape[0])
    return parted and (t.axis is None or t.axis < len(t.shape))


def _of(kind: type[T], value: Any, where: str) -> T:
    if type(value) is not kind:  # a bool is no whole number here
        raise Contradiction(where)
    return value


def _text(value: Any, where: str) -> str:
    text = _of(str, value, where)
    try:
        text.encode()
    except UnicodeEncodeError as error:  # half of a pair
        raise Contradiction(where) from error
    return text


def _index(value: Any, where: str) -> int | None:
    if value is not None and _of(int, value, where) < 0:
        raise Contradiction(where)
    return value


def _lengths(value: Any, where: str) -> tuple[int, ...]:
    found = tuple(_of(int, n, where) for n in _of(list, value, where))
    if min(found, default=0) < 0:
        raise Contradiction(where)
    return found
