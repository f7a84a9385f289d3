"""Where in a tensor something lies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz import xp
from qviz.stats.stream import CHUNK
from qviz.xp import Array


def first_non_finite(batches: Sequence[Array]) -> int | None:
    """Flat index, in C order through all batches, of the first NaN or infinity; else None."""
    before = 0
    for batch in batches:
        flat = batch.reshape(-1)
        for start in range(0, xp.size(batch), CHUNK):
            chunk = xp.host(xp.working(flat[start : start + CHUNK]))
            odd = np.flatnonzero(~np.isfinite(chunk))
            if len(odd):
                return before + start + int(odd[0])
        before += xp.size(batch)
    return None
