"""A filter of channels, written as numbers and ranges."""

from __future__ import annotations

import re

import numpy as np

from qviz.errors import QvizError
from qviz.figures.theme import shorten

LONG = 18  # digits that are read of a number
PART = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")


def chosen_indices(text: str, count: int) -> np.ndarray:
    """Indices below ``count`` that ``0-31, 45`` names; a range may run backwards.

    Raises
    ------
    QvizError
        A part that is neither a number nor a range, or numbers of which none is there.

    >>> chosen_indices("3, 0-1, 99", 10).tolist()
    [0, 1, 3]
    """
    keep = np.zeros(count, bool)
    for part in filter(None, (p.strip() for p in text.split(","))):
        found = PART.fullmatch(part)
        if found is None:
            raise QvizError(
                f"{shorten(part, 40)!r} names no channel.", "", "Write numbers: 0-31, 45."
            )
        ends = sorted(min(int(end[:LONG]), count) for end in found.groups() if end is not None)
        keep[ends[0] : ends[-1] + 1] = True
    if not keep.any():
        raise QvizError(
            f"{shorten(text, 40)!r} names no channel.", f"They are 0 to {count - 1}.", ""
        )
    return np.flatnonzero(keep)
