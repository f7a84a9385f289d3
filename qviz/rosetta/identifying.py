"""Which rule made these codes: registered rules against integers from a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.errors import QvizError
from qviz.quantizers.base import Quantizer
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import CHUNK, lowest
from qviz.xp import Array

FEW = 2**16  # elements on which all rules are tried first
KEPT = 3  # rules that are counted in full where none fits


@dataclass(frozen=True, eq=False)
class Match:
    """One rule's codes against those given.

    ``differing`` elements of ``elements`` have another code; ``bias`` is the mean of given minus
    computed, ``first`` the flat index of the first difference. ``shift`` is 0, or plus or minus
    half the number of codes where the given ones are of the type with, or without, a sign: it is
    added to the rule's codes before they are compared. ``moved`` is a whole number that, added
    to the rule's zero point, makes every code equal; 0 where there is none.
    """

    answer: Answer
    differing: int
    elements: int
    bias: float
    first: int | None
    shift: int
    moved: int = 0

    @property
    def exact(self) -> bool:
        """Whether every code is the rule's own, stored with or without a sign."""
        return self.differing == 0


def identified(given: Sequence[Answer], x: np.ndarray, codes: np.ndarray) -> tuple[Match, ...]:
    """Rules that reproduce all codes; else the closest few.

    Closest is what only has another zero point, then what differs in the fewest codes. ``x`` are
    the float inputs, ``codes`` integers of the same shape. NaN inputs are left out.

    Raises
    ------
    QvizError
        Shapes that differ, codes that are no integers, no element.
    """
    x, codes = _checked(x, codes)
    usable = [answer for answer in given if answer.quantizer is not None]
    stride = max(1, x.size // FEW)
    tried = [_match(answer, x[::stride], codes[::stride]) for answer in usable]
    whole = [match.answer for match in tried if match.exact]
    exact = [match for answer in whole if (match := _match(answer, x, codes)).exact]
    if exact:
        return tuple(sorted(exact, key=lambda match: match.shift != 0))
    near = sorted(tried, key=_distance)[:KEPT]
    return tuple(sorted((_match(m.answer, x, codes) for m in near), key=_distance))


def _distance(match: Match) -> tuple[bool, int, int, float]:
    return match.moved == 0, abs(match.moved), match.differing, abs(match.bias)


def _checked(x: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if x.shape != codes.shape:
        raise QvizError(
            f"The values have shape {x.shape}, the codes {codes.shape}.",
            "They must be the same elements.",
            "Choose two tensors of one shape.",
        )
    whole = codes.dtype.kind in "iu" or bool((codes == np.rint(codes)).all())
    if not whole or codes.dtype.kind == "b":
        raise QvizError("The codes are no integers.", "", "Choose the tensor that holds codes.")
    flat, kept = x.reshape(-1), codes.reshape(-1)
    with np.errstate(over="ignore"):
        flat = flat.astype(np.float32)
    there = ~np.isnan(flat)
    if not there.any():
        raise QvizError("There is no element to compare.", "The tensor is empty, or all NaN.")
    return flat[there], kept[there].astype(np.int64)


@np.errstate(all="ignore")
def _match(answer: Answer, x: np.ndarray, codes: np.ndarray) -> Match:
    made = answer.quantizer
    if made is None:
        raise QvizError("This rule has no grid.")
    usual = _usual_gap(made, x, codes)
    shift = _shift(made, usual)
    differing, total, first, moved = 0, 0, -1, usual - shift
    for at in range(0, x.size, CHUNK):
        piece, given = x[None, at : at + CHUNK], codes[at : at + CHUNK] - shift
        gap = given - _whole(made.quantize(piece))
        apart = np.flatnonzero(gap)
        differing += apart.size
        total += int(gap.sum())
        first = at + int(apart[0]) if first < 0 and apart.size else first
        if moved and (gap != moved).any() and not _moved(made, piece, given, moved):
            moved = 0
    return Match(
        answer, differing, x.size, total / x.size, None if first < 0 else first, shift, moved
    )


def _moved(made: Quantizer, x: np.ndarray, codes: np.ndarray, by: int) -> bool:
    """Whether codes are the rule's with another zero point, clamped to the same ends."""
    beyond = np.clip(np.asarray(made.encode(x), np.float64) + by, *made.ends)
    return bool(np.array_equal(_whole(beyond), codes))


def _usual_gap(made: Quantizer, x: np.ndarray, codes: np.ndarray) -> int:
    """The most frequent difference of given and computed codes, of evenly spaced elements."""
    stride = max(1, x.size // FEW)
    gaps = codes[::stride] - _whole(made.quantize(x[None, ::stride]))
    values, counts = np.unique(gaps, return_counts=True)
    return int(values[counts.argmax()])


def _shift(made: Quantizer, gap: int) -> int:
    """Half the number of codes, where a gap is nearer to that than to 0; with its sign."""
    base = lowest(made.ends)
    half = -base if base else (1 << made.ends[1].bit_length()) // 2
    other = half if base else -half
    return other if abs(gap - other) < abs(gap) else 0


def _whole(codes: Array) -> np.ndarray:
    return np.asarray(codes, np.float64)[0].astype(np.int64)
