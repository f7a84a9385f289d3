"""Running extremes of PyTorch's observers: one step per batch, float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.stats.base import Batch, Running


@dataclass(frozen=True, eq=False)
class Ends:
    """Running minimum and maximum, (groups,) float32; +inf and -inf before any data."""

    lo: np.ndarray
    hi: np.ndarray

    @property
    def unseen(self) -> np.ndarray:
        """Which groups have seen no data, (groups,)."""
        return (self.lo == np.inf) & (self.hi == -np.inf)


NO_DATA = Ends(np.full(1, np.inf, np.float32), np.full(1, -np.inf, np.float32))


def ends_of(batch: Batch) -> Ends:
    """torch.aminmax of each group, as float32; NaN where a group holds one."""
    ns, rows = xp.namespace(batch.rows), batch.rows
    with np.errstate(all="ignore"):
        ends = (xp.host(xp.astype(f(rows, axis=1), "float32")) for f in (ns.amin, ns.amax))
        return Ends(*ends)


@dataclass(frozen=True)
class RunningMinMax(Running[Ends]):
    """m = min(min x, m), M = max(max x, M); NaN stays for good; empty batches change nothing."""

    def start(self) -> Ends:
        return NO_DATA

    def step(self, state: Ends, batch: Batch) -> Ends:
        return self.after(state, ends_of(batch)) if xp.size(batch.x) else state

    def after(self, state: Ends, new: Ends) -> Ends:
        """The state after a batch with these ends; one group's ends serve all."""
        return Ends(np.minimum(new.lo, state.lo), np.maximum(new.hi, state.hi))


@dataclass(frozen=True)
class RunningAverage(RunningMinMax):
    """m = m + c * (min x - m), each operation rounded to float32; the first batch is copied.

    Rounding can leave m above M; an infinity becomes NaN one batch later.
    """

    averaging_constant: float = 0.01

    def after(self, state: Ends, new: Ends) -> Ends:
        if state.unseen.all():
            return new
        c = np.float32(self.averaging_constant)
        with np.errstate(all="ignore"):
            moved = (m + c * (x - m) for m, x in ((state.lo, new.lo), (state.hi, new.hi)))
            return Ends(*moved)
