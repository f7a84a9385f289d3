"""How far the magnitudes of a tensor reach, from its smallest to its largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.stats.cells import Cells

SHARES = (0.01, 0.5, 0.99)


@dataclass(frozen=True)
class Reach:
    """Smallest, 1st percentile, median, 99th percentile and largest of the magnitudes above 0.

    ``exact`` is False where the middle ones are read off a sketch.
    """

    name: str
    ends: tuple[float, float, float, float, float]
    exact: bool = True

    @property
    def ratio(self) -> float:
        """Largest over median magnitude, >= 1."""
        return self.ends[4] / self.ends[2]


def reach_of(name: str, cells: Cells) -> Reach | None:
    """The reach of the first group's finite elements; None where all are 0, or none is there.

    Exact zeros have no place on a logarithmic axis and are left out of the shares, too.
    """
    ends = np.abs([cells.lo[0], cells.hi[0]])
    low, high = ends.min(axis=0), ends.max(axis=0)
    there = (cells.count[0] > 0) & (high > 0) & np.isfinite(high)
    if not there.any():
        return None
    order = np.argsort(low[there], kind="stable")
    low, high, count = (a[there][order][None, :] for a in (low, high, cells.count[0]))
    sizes = Cells(low, high, count, cells.exact, cells.dtype)
    first, last = float(low[low > 0].min(initial=high.max())), float(high.max())
    p1, middle, p99 = (float(np.clip(sizes.quantile(share)[0], first, last)) for share in SHARES)
    return Reach(name, (first, p1, middle, p99, last), cells.exact)
