"""Which traits of two rules make their codes differ, found by exchanging them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import Quantizer
from qviz.quantizers.steps import CODES
from qviz.rosetta.comparison import lowest, stored

EITHER, FIRST, SECOND = "either", "first", "second"


@dataclass(frozen=True)
class Cause:
    """The smallest set of traits that makes two rules' codes equal when one takes the other's.

    ``taker`` says which rule has to take them: ``either``, or only the ``first`` or ``second``.
    ``differ`` codes differ as they are; ``left`` still do when the taker, the first of either,
    takes that one trait alone: by trait, and only where these are fewer. ``together`` is empty
    where not even all traits exchanged make the codes equal.
    """

    together: tuple[str, ...]
    taker: str
    differ: int
    left: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Way:
    """How codes are made: the arithmetic, and the ends they are clamped to."""

    how: Arithmetic
    ends: tuple[int, int]

    @property
    def base(self) -> int:
        """The lowest code of the type."""
        return lowest(self.ends)

    @np.errstate(all="ignore")
    def codes(self, x: np.ndarray) -> np.ndarray:
        """Codes of a row counted from the lowest of the type, (n,)."""
        made = np.asarray(self.how.encode(x[None]), np.float64)[0]
        return np.clip(made, *self.ends) - self.base

    def taking(self, other: Way, names: Iterable[str]) -> Way:
        """The same way with some traits of another one."""
        fields: dict[str, Any] = {}
        for name in names:
            fields |= _fields(other, name, self.base)
        ends = fields.pop("ends", self.ends)
        made = replace(self.how, **fields)
        plain = made.divides or made.before is None or made.origin is not None
        once = None if plain or made.dtype != "float32" else made.once
        return Way(replace(made, once=once), ends)


def way_of(made: Quantizer) -> Way | None:
    """A quantizer's way, where it says how it computes."""
    return None if made.arithmetic is None else Way(made.arithmetic, made.ends)


def exchangeable(a: Way, b: Way) -> tuple[str, ...]:
    """Traits in which two ways differ, in words or in the numbers that they compute with."""
    return tuple(name for name in CODES if _content(a, name) != _content(b, name))


def cause(a: Quantizer, b: Quantizer, x: np.ndarray) -> Cause:
    """Exchange traits, one by one and then several, until the codes of ``x`` (n,) are equal."""
    one, other = stored(a, x).codes, stored(b, x).codes
    apart = one != other
    mine, theirs = way_of(a), way_of(b)
    if mine is None or theirs is None:
        return Cause((), EITHER, int(apart.sum()))
    names = exchangeable(mine, theirs)
    together, taker = _smallest((mine, one), (theirs, other), names, x, apart)
    sides = (theirs, mine, one) if taker == SECOND else (mine, theirs, other)
    left = () if len(together) == 1 else _alone(*sides[:2], names, x, sides[2])
    count = int(apart.sum())
    return Cause(together, taker, count, tuple((n, k) for n, k in left if k < count))


Side = tuple[Way, np.ndarray]


def _smallest(
    a: Side, b: Side, names: tuple[str, ...], x: np.ndarray, apart: np.ndarray
) -> tuple[tuple[str, ...], str]:
    for size in range(1, len(names) + 1):
        found = {}
        for some in combinations(names, size):
            takes = _mends(a, b, some, x, apart), _mends(b, a, some, x, apart)
            if all(takes):
                return some, EITHER
            if any(takes):
                found.setdefault(some, FIRST if takes[0] else SECOND)
        if found:
            return next(iter(found.items()))
    return (), EITHER


def _mends(a: Side, b: Side, some: tuple[str, ...], x: np.ndarray, apart: np.ndarray) -> bool:
    """Whether ``a`` with some traits of ``b`` makes all codes of ``b``."""
    made, wanted = a[0].taking(b[0], some), b[1]
    if not np.array_equal(made.codes(x[apart]), wanted[apart]):
        return False
    return bool(np.array_equal(made.codes(x), wanted))


def _alone(
    a: Way, b: Way, names: tuple[str, ...], x: np.ndarray, wanted: np.ndarray
) -> list[tuple[str, int]]:
    return [(name, int((a.taking(b, (name,)).codes(x) != wanted).sum())) for name in names]


def _fields(way: Way, name: str, base: int) -> dict[str, Any]:
    """What a trait is in a way, its codes counted from another lowest code."""
    how, moved = way.how, base - way.base
    if name == "codes":
        return {"ends": (way.ends[0] + moved, way.ends[1] + moved)}
    if name == "precision":
        return {"dtype": how.dtype}
    if name == "tie":
        return {"tie": how.tie}
    if name == "quotient":
        kept = {"factor": how.factor, "divides": how.divides, "inverts": how.inverts}
        return kept | {"times": how.times}
    after = how.after if not moved else moved + (0 if how.after is None else how.after)
    after = after if after is None else np.broadcast_to(after, how.factor.shape)
    return {"origin": how.origin, "before": how.before, "after": after, "once": how.once}


def _content(way: Way, name: str) -> list[Any]:
    """What a trait is in a way, to be compared: plain numbers and words."""
    fields = _fields(way, name, 0)
    if name == "zero point added":
        fields["once"] = way.how.once is not None
        after = 0.0 if fields["after"] is None else fields["after"]
        fields["after"] = np.broadcast_to(after, way.how.factor.shape)
    return [value.astype(np.float64).tolist() if isinstance(value, np.ndarray) else value
            for value in fields.values()]  # fmt: skip
