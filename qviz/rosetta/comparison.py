"""Rules side by side on the same elements: which of them agree bit for bit, and by how much not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qviz.quantizers.base import Quantizer
from qviz.rosetta.answers import Answer

CHUNK = 2**16
MOST = 1_000_000  # elements that are all compared; of more, evenly spaced ones


@dataclass(frozen=True, eq=False)
class Row:
    """One rule beside the reference.

    ``group`` counts groups of rules whose stored codes, counted from the lowest code of their
    type, and whose values in float32 are all equal. ``codes_differ`` and ``values_differ`` are
    shares of the elements, ``at_most`` the largest difference of values in steps of the
    reference; None where one of the two has no grid.
    """

    answer: Answer
    group: int
    codes_differ: float | None = None
    values_differ: float | None = None
    at_most: float | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """All rows, group by group, the reference's group first.

    ``elements`` were looked at; ``exact`` says whether these are all of the tensor.
    """

    rows: tuple[Row, ...]
    elements: int
    exact: bool

    @property
    def groups(self) -> tuple[tuple[Row, ...], ...]:
        """Rows by group."""
        count = max((row.group for row in self.rows), default=-1) + 1
        return tuple(tuple(r for r in self.rows if r.group == g) for g in range(count))

    @property
    def reference(self) -> Row:
        """The row that all others are compared with."""
        return self.rows[0]

    def row(self, name: str) -> Row | None:
        """The row of the rule of that name."""
        return next((row for row in self.rows if row.answer.rule.name == name), None)


@dataclass(frozen=True, eq=False)
class Stored:
    """What a rule stores and gives back: codes from its type's lowest on, values in float32."""

    codes: np.ndarray
    values: np.ndarray


def thinned(x: np.ndarray) -> np.ndarray:
    """All finite elements as a float32 row, or about ``MOST`` evenly spaced ones, (n,)."""
    flat = x.reshape(-1)
    flat = flat[:: -(-flat.size // MOST)] if flat.size > MOST else flat
    with np.errstate(over="ignore"):
        flat = flat.astype(np.float32, copy=False)
    return flat[np.isfinite(flat)]


def compared(
    given: Sequence[Answer], x: np.ndarray, reference: str = "", *, exact: bool = True
) -> Comparison:
    """Compare rules on the elements of ``x``, a float32 row of finite values (see ``thinned``).

    The reference is the rule of that name, else the first of the largest group. ``exact``: these
    are all elements there are.
    """
    first = next((i for i, answer in enumerate(given) if answer.rule.name == reference), None)
    tallies = _tallies(given, x, 0 if first is None else first)
    if first is None:
        first = _largest(given, tallies)
        tallies = tallies if first == 0 else _tallies(given, x, first)
    marks = [tally.mark(answer) for tally, answer in zip(tallies, given, strict=True)]
    order = [marks[first], *(mark for mark in dict.fromkeys(marks) if mark != marks[first])]
    rows = [
        Row(given[i], order.index(marks[i]), *tallies[i].shares(given[first], given[i], x.size))
        for i in sorted(range(len(given)), key=lambda i: (order.index(marks[i]), i != first))
    ]
    return Comparison(tuple(rows), x.size, exact)


@np.errstate(all="ignore")
def stored(made: Quantizer, x: np.ndarray) -> Stored:
    """What a quantizer makes of a row of values."""
    codes = made.quantize(x[None])
    values = np.asarray(made.dequantize(codes), np.float32)[0]
    counted = np.asarray(codes, np.float64)[0] - lowest(made.ends)
    return Stored(counted.astype(np.int32), values)


def lowest(ends: tuple[int, int]) -> int:
    """The lowest code of the integer type that codes need: -128 for -127 to 127."""
    low, high = ends
    return -(1 << (max(-low, high + 1) - 1).bit_length()) if low < 0 else 0


def chunks(x: np.ndarray) -> Iterator[np.ndarray]:
    """Pieces of a row."""
    for start in range(0, x.size, CHUNK):
        yield x[start : start + CHUNK]


class _Tally:
    """What one rule's codes and values sum up to beside the reference's."""

    def __init__(self) -> None:
        self._digest = hashlib.blake2b(digest_size=16)
        self._codes = self._values = 0
        self._most = 0.0

    def add(self, own: Stored, reference: Stored | None) -> None:
        """Count one more piece."""
        self._digest.update(own.codes.tobytes())
        self._digest.update((own.values + np.float32(0)).tobytes())  # -0 is 0
        if reference is None:
            return
        self._codes += int((own.codes != reference.codes).sum())
        differ = own.values != reference.values
        self._values += int(differ.sum())
        with np.errstate(all="ignore"):
            gap = np.abs(own.values[differ].astype(np.float64) - reference.values[differ])
        self._most = max(self._most, float(gap.max(initial=0.0)))

    def mark(self, answer: Answer) -> str:
        """Equal for rules that store and give back the same; their own words without a grid."""
        return answer.degenerate if answer.quantizer is None else self._digest.hexdigest()

    def shares(
        self, reference: Answer, own: Answer, size: int
    ) -> tuple[float | None, float | None, float | None]:
        """Shares of codes and values that differ, and the largest difference in steps."""
        if reference.quantizer is None or own.quantizer is None or not size:
            return (0.0, 0.0, 0.0) if own is reference else (None, None, None)
        step = reference.scale or 0.0
        most = self._most / step if step > 0 else None if self._most else 0.0
        return self._codes / size, self._values / size, most


def _tallies(given: Sequence[Answer], x: np.ndarray, first: int) -> list[_Tally]:
    tallies = [_Tally() for _ in given]
    leader = given[first].quantizer
    for piece in chunks(x):
        reference = None if leader is None else stored(leader, piece)
        for i, answer in enumerate(given):
            if answer.quantizer is not None:
                own = reference if i == first and reference else stored(answer.quantizer, piece)
                tallies[i].add(own, reference)
    return tallies


def _largest(given: Sequence[Answer], tallies: Sequence[_Tally]) -> int:
    """The first rule of the largest group, of those that have a grid where any has."""
    marks = [tally.mark(answer) for tally, answer in zip(tallies, given, strict=True)]
    usable = [m for m, answer in zip(marks, given, strict=True) if answer.usable] or marks
    return marks.index(max(dict.fromkeys(usable), key=usable.count))
