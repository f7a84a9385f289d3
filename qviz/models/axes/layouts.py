"""Shapes as far as a graph tells them, and where channels lie in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod

from qviz.models.declared import Shape

_NUMBERS = count()
OPEN = "? "  # start of a length of which nothing is known


@dataclass(frozen=True)
class Laid:
    """What is known of a value: its shape, and the axis of its channels.

    Of open lengths those with one name are equal. An axis below 0 counts from the last.
    ``constant`` is what no input changes.
    """

    shape: Shape | None = None
    axis: int | None = None
    constant: bool = False

    @property
    def rank(self) -> int | None:
        """Number of axes."""
        return None if self.shape is None else len(self.shape)

    @property
    def place(self) -> int | None:
        """The axis counted from the first, where that is known."""
        if self.axis is None or self.axis >= 0:
            return self.axis
        return None if self.rank is None else self.axis + self.rank


def unknown() -> str:
    """A length that equals no other."""
    return f"{OPEN}{next(_NUMBERS)}"


def told(shape: Shape) -> Shape:
    """A declared shape, in which lengths without a name equal no other."""
    return tuple(unknown() if n == "" else n for n in shape)


def loose(rank: int | None) -> Shape | None:
    """As many axes, all of unknown length."""
    return None if rank is None else tuple(unknown() for _ in range(rank))


def broadcast(shapes: Iterable[Sequence[int | str] | None]) -> Shape | None:
    """The shape that comes of several, aligned at their ends; None where one is not known."""
    known: list[Sequence[int | str]] = []
    for shape in shapes:
        if shape is None:
            return None
        known.append(shape)
    longest = max(map(len, known), default=0)
    padded = [(*(1,) * (longest - len(shape)), *shape) for shape in known]
    return tuple(map(_met, zip(*padded, strict=True)))


def _met(lengths: Sequence[int | str]) -> int | str:
    """Of lengths that meet the one that is a number, else the first that has a name."""
    long = [n for n in lengths if n != 1]
    return next((n for n in long if isinstance(n, int)), (*long, 1)[0])


def filled(target: Sequence[int], shape: Shape | None) -> Shape:
    """The shape that a Reshape gives: 0 keeps a length, -1 takes what is left."""
    given = shape or ()
    kept = [
        n if n > 0 else given[at] if n == 0 and at < len(given) else unknown()
        for at, n in enumerate(target)
    ]
    if shape is not None and list(target).count(-1) == 1:
        at = list(target).index(-1)
        kept[at] = _left(shape, (*kept[:at], *kept[at + 1 :]))
    return tuple(kept)


def _left(shape: Shape, taken: Shape) -> int | str:
    """The length of what is left of a shape: a number or one name; else it equals no other."""
    (every, names), (part, gone) = _product(shape), _product(taken)
    for name in gone:
        if name not in names:
            return unknown()
        names.remove(name)
    if not names and part and every % part == 0:
        return every // part
    return names[0] if len(names) == 1 and every == part else unknown()


def flat(shape: Shape, at: int) -> Shape:
    """Two axes: those before ``at`` joined, and the others."""
    return _joined(shape[:at]), _joined(shape[at:])


def carried(shape: Shape, axis: int, after: Shape) -> int | None:
    """Where the elements along an axis lie in another shape; None where they are mixed."""
    for at, n in enumerate(after if axis in range(len(shape)) else ()):
        before = _alike(shape[:axis], after[:at])
        if n == shape[axis] and (before or _alike(shape[axis + 1 :], after[at + 1 :])):
            return at
    return None


def divided(shape: Shape, axis: int, after: Shape) -> int | None:
    """The last of several axes into which one is cut, as into heads; None where none is."""
    if axis not in range(len(shape)):
        return None
    for first in range(len(after)):
        if not _fits(shape[:axis], after[:first]):
            continue
        for end in range(first + 2, len(after) + 1):
            whole = _alike(shape[axis : axis + 1], after[first:end])
            if whole and _fits(shape[axis + 1 :], after[end:]):
                return end - 1
    return None


def united(shape: Shape, axis: int, after: Shape) -> int | None:
    """The axis that several become, as heads do, one of them given; None where others join too.

    Channels that are joined with all places behind them, as by a Flatten, are no axis any more.
    """
    size = len(shape) - len(after) + 1
    if axis not in range(len(shape)) or size < 2:
        return _last_of_rows(shape, axis, after)
    for at in range(max(axis - size + 1, 0), axis + 1):
        end = at + size
        rest = shape[:at] == after[:at] and shape[end:] == after[at + 1 :]
        if rest and _alike(shape[at:end], after[at : at + 1]):
            return at if axis == end - 1 or end < len(shape) else None
    return _last_of_rows(shape, axis, after)


def _last_of_rows(shape: Shape, axis: int, after: Shape) -> int | None:
    """Axis 1 of a matrix whose rows count all but the last axes, the last of which is given."""
    if len(after) != 2 or axis != len(shape) - 1:
        return None
    rows = (_alike(shape[:at], after[:1]) for at in range(1, axis))
    return 1 if any(rows) else None


def _joined(lengths: Shape) -> int | str:
    number, names = _product(lengths)
    return number if not names else names[0] if (number, len(names)) == (1, 1) else unknown()


def _fits(a: Shape, b: Shape) -> bool:
    """The same, or whether lengths of which nothing is known may be these."""
    pairs = zip(a, b, strict=False)
    return _alike(a, b) or (len(a) == len(b) and all(m == n or OPEN in f"{m}{n}" for m, n in pairs))


def _alike(a: Shape, b: Shape) -> bool:
    """Whether as many elements lie along these axes as along those."""
    return _product(a) == _product(b)


def _product(lengths: Shape) -> tuple[int, list[str]]:
    names = sorted(n for n in lengths if isinstance(n, str))
    return prod(n for n in lengths if isinstance(n, int)), names
