"""Which rule made these codes: registered rules against integers from a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.errors import QvizError
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import CHUNK

FEW = 2**16  # elements on which all rules are tried first
KEPT = 3  # rules that are counted in full where none fits


@dataclass(frozen=True, eq=False)
class Match:
    """One rule's codes against those given.

    ``differing`` elements of ``elements`` have another code; ``bias`` is the mean of given minus
    computed, ``first`` the flat index of the first difference. ``shift`` is a whole number that,
    added to every computed code, makes all equal (stored as int8 instead of uint8, say).
    """

    answer: Answer
    differing: int
    elements: int
    bias: float
    first: int | None
    shift: int

    @property
    def exact(self) -> bool:
        """Whether every code is the rule's own, up to ``shift``."""
        return self.differing == 0


def identified(given: Sequence[Answer], x: np.ndarray, codes: np.ndarray) -> tuple[Match, ...]:
    """Rules that reproduce all codes; else the closest few, by the number of differences.

    ``x`` are the float inputs, ``codes`` integers of the same shape. NaN inputs are left out.

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
    near = sorted(tried, key=lambda match: (match.differing, abs(match.bias)))[:KEPT]
    return tuple(
        sorted((_match(m.answer, x, codes) for m in near), key=lambda match: match.differing)
    )


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
    start = int(codes[0] - int(np.float64(made.quantize(x[None, :1])).item()))
    total = {0: [0, 0, -1], start: [0, 0, -1]}
    for at in range(0, x.size, CHUNK):
        piece = x[None, at : at + CHUNK]
        gap = codes[at : at + CHUNK] - np.asarray(made.quantize(piece), np.float64)[0].astype(
            np.int64
        )
        for shift, sums in total.items():
            apart = np.flatnonzero(gap != shift)
            sums[0] += apart.size
            sums[1] += int(gap.sum())
            if sums[2] < 0 and apart.size:
                sums[2] = at + int(apart[0])
    shift = min(total, key=lambda shift: (total[shift][0], shift != 0))
    shift = shift if total[shift][0] == 0 else 0
    differing, gaps, first = total[shift]
    return Match(answer, differing, x.size, gaps / x.size, None if first < 0 else first, shift)
