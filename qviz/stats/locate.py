"""Where in a tensor something lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qviz import xp
from qviz.stats.stream import CHUNK
from qviz.xp import Array


def first_non_finite(batches: Sequence[Array]) -> int | None:
    """Flat index, in C order through all batches, of the first NaN or infinity; else None."""
    before = 0
    for batch in batches:
        for start, part in _parts(batch):
            odd = np.flatnonzero(~np.isfinite(xp.host(xp.working(part))))
            if len(odd):
                return before + start + int(odd[0])
        before += xp.size(batch)
    return None


def _parts(batch: Array) -> Iterator[tuple[int, Array]]:
    """Flat index of the first element, and the elements, of slices along the first axis.

    A slice is copied at most, never the whole array, whatever its layout.
    """
    if batch.ndim == 0:
        yield 0, batch.reshape(1)
        return
    row = xp.size(batch) // max(batch.shape[0], 1)
    tall = max(1, CHUNK // max(row, 1))
    for start in range(0, batch.shape[0], tall):
        yield start * row, batch[start : start + tall].reshape(-1)
