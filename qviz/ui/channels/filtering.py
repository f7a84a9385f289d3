"""A filter of channels, written as numbers and ranges."""

from __future__ import annotations

import re

import numpy as np

from qviz.errors import QvizError

PART = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")


def chosen_indices(text: str, count: int) -> np.ndarray:
    """Indices below ``count`` that ``0-31, 45`` names.

    Raises
    ------
    QvizError
        A part that is neither a number nor a range.

    >>> chosen_indices("3, 0-1, 99", 10).tolist()
    [0, 1, 3]
    """
    keep = np.zeros(count, bool)
    for part in filter(None, (p.strip() for p in text.split(","))):
        found = PART.fullmatch(part)
        if found is None:
            raise QvizError(f"{part!r} names no channel.", "", "Write numbers: 0-31, 45.")
        first = min(int(found[1]), count)
        last = first if found[2] is None else min(int(found[2]), count)
        keep[first : last + 1] = True
    return np.flatnonzero(keep)
