"""How far a range goes beyond most of the values that it is for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.doctor.base import HIGH, MEDIUM
from qviz.doctor.case import Case
from qviz.pipeline.channel_facts import NEAR_DEAD
from qviz.spec import Range

FAR = 5.0  # largest magnitude in range over that below which 99.9 % lie
SHARE = 0.999
GAP = 10.0  # times from the values below a gap to those a quarter of the rest farther
FEW = 0.1  # share of the values beyond a gap, from which they are many
APART, WIDE = 50.0, 300.0  # largest magnitude in range over that below a gap; where many are beyond
DUST = 1 / NEAR_DEAD  # times from values to many others, beside which they are none
BEYOND = 2.0  # times these that a range for them may reach
LEFT = {HIGH: 10.0, MEDIUM: 20.0}  # dB below which what is left to the usual values is that bad
SHARES = 1 - np.geomspace(0.75, 1 - SHARE, 100)  # that may lie below


@dataclass(frozen=True, eq=False)
class Reach:
    """``share`` of the values lies below ``usual``, and the range goes ``far`` times beyond."""

    largest: float
    share: float
    usual: float
    far: float

    @property
    def ratio(self) -> float:
        """How many times farther."""
        return self.largest / self.usual

    @property
    def end(self) -> float:
        """How far a range for these values goes at most."""
        return (FAR if self.share == SHARE else BEYOND) * self.usual

    @property
    def told(self) -> str:
        """``99.9 % of the values``."""
        rest = "" if self.share == SHARE else " that are not 0"
        return f"{100 * self.share:.3g} % of the values{rest}"


def reach(case: Case) -> Reach | None:
    """How far the range goes beyond most of the values; None where it goes about as far."""
    covered = case.row.covered
    return None if covered is None else reach_to(case, covered)


def reach_to(case: Case, covered: Range) -> Reach | None:
    """The same of any range."""
    largest = min(float(max(-covered.lo[0], covered.hi[0])), float(case.facts.amax[0]))
    tried = [Reach(largest, SHARE, float(_magnitudes(case, SHARE)), FAR), _below_gap(case, largest)]
    return next((one for one in tried if 0 < one.far * one.usual < largest), None)


def least(far: Reach) -> float:
    """What usual values must keep, in dB, for the few far ones to be no fault."""
    return LEFT[MEDIUM if far.share == SHARE else HIGH]


def _below_gap(case: Case, largest: float) -> Reach:
    """A share of the values that are not 0, where the rest begins a gap of 10 times farther out.

    What lies below must be of one size, and as many values just below the gap must lie together:
    values that fade, as of a softmax, have no such gap, or many of them. What is 1e-4 of what many
    others are is as good as 0, as below a ReLU that lets a little through.
    """
    rest = (1 - SHARES) / 4
    shares = (SHARES / 2, SHARES - rest, SHARES, SHARES + rest)
    half, near, below, beyond = (_magnitudes(case, share, zeros=False) for share in shares)
    there = np.minimum(half, near) > 0
    half, near, below = (np.where(there, size, 1.0) for size in (half, near, below))
    gaps = np.where(there, beyond, 0.0) / below
    gaps = np.where((below <= GAP * half) & (gaps >= (below / near) ** 2), gaps, 0.0)
    at = int(np.flatnonzero(gaps >= gaps.max() / 2)[-1])
    many = 1 - SHARES[at] > FEW
    usual = float(below[at]) if GAP <= gaps[at] < (DUST if many else np.inf) else 0.0
    return Reach(largest, float(SHARES[at]), usual, WIDE if many else APART)


def sizes(case: Case) -> np.ndarray:
    """Largest magnitude of each cell."""
    return np.maximum(np.abs(case.cells.lo[0]), np.abs(case.cells.hi[0]))


def _magnitudes(case: Case, share: np.ndarray | float, zeros: bool = True) -> np.ndarray:
    """The magnitudes below which these shares of the values lie, of all or of those not 0."""
    size = sizes(case)
    order = np.argsort(size)
    size, count = size[order], case.cells.count[0][order]
    below = np.cumsum(count if zeros else np.where(size > 0, count, 0))
    if not len(below):
        return np.zeros(np.shape(share))
    at = np.searchsorted(below, share * below[-1])
    return size[np.minimum(at, len(size) - 1)]
