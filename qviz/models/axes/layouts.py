"""Shapes as far as a graph tells them, and where channels lie in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod

from qviz.models.declared import Shape

_NUMBERS = count()


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
    return f"? {next(_NUMBERS)}"


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
    return tuple(next((n for n in lengths if n != 1), 1) for lengths in zip(*padded, strict=True))


def filled(target: Sequence[int], shape: Shape | None) -> Shape:
    """The shape that a Reshape gives: 0 keeps a length, -1 takes what is left."""
    given = shape or ()
    return tuple(
        n if n > 0 else given[at] if n == 0 and at < len(given) else unknown()
        for at, n in enumerate(target)
    )


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


def _joined(lengths: Shape) -> int | str:
    number, names = _product(lengths)
    return number if not names else names[0] if (number, len(names)) == (1, 1) else unknown()


def _alike(a: Shape, b: Shape) -> bool:
    """Whether as many elements lie along these axes as along those."""
    return _product(a) == _product(b)


def _product(lengths: Shape) -> tuple[int, list[str]]:
    names = sorted(n for n in lengths if isinstance(n, str))
    return prod(n for n in lengths if isinstance(n, int)), names
