"""Drift: what quantizing and dequantizing again and again does to values, for any quantizer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Quantizer, Target, covered
from qviz.spec import PER_TENSOR, QuantSpec, Range

MOST_ROUNDS = 50
EARLY, LATE = 1, 10  # trips between which the slope is taken
FINE = 2001  # values whose median is the slope
FOLLOWED = 9  # values whose way is kept
INSIDE = 0.01  # of the range: how far from its ends the outer two of them start
STEADY = 0.5  # steps per trip from which a mode drifts; less is a step now and then, and an end


@dataclass(frozen=True, eq=False)
class Drift:
    """What repeated round trips do on one range.

    ``paths`` (9, rounds + 1), float64: nine values as put in, and after each trip. ``slope`` in
    steps per trip is the median, over 2,001 even values of the range, of (value after 10 trips -
    value after 1) / 9; a mean would be pulled down by values that have arrived at an end.
    ``moved`` is the share of those values that a second trip changes; ``errors`` (rounds,) are
    their mean errors after each trip. ``declared`` is what the quantizer says of itself.
    """

    paths: np.ndarray
    step: float
    slope: float
    moved: float
    errors: np.ndarray
    declared: bool

    @property
    def rounds(self) -> int:
        """Number of trips that were followed."""
        return self.paths.shape[1] - 1

    @property
    def drifts(self) -> bool:
        """Whether values keep moving, trip after trip."""
        return abs(self.slope) >= STEADY

    @property
    def agrees(self) -> bool:
        """Whether the declared law holds here: idempotent means that no second trip moves."""
        return not (self.declared and self.moved > 0)


def drift(quantizer: Quantizer, lo: float, hi: float, rounds: int = MOST_ROUNDS) -> Drift:
    """Round trips of values between ``lo`` and ``hi``, under the first group's qparams.

    Raises
    ------
    QvizError
        A range without width, or fewer than 1 or more than 50 rounds.
    """
    if not (np.isfinite(lo) and np.isfinite(hi) and lo < hi):
        raise QvizError(f"From {lo:g} to {hi:g} there is no range.", "lo must lie below hi.")
    if not 1 <= rounds <= MOST_ROUNDS:
        raise QvizError(f"{rounds} round trips are not offered.", f"1 to {MOST_ROUNDS} are.")
    margin = INSIDE * (hi / 2 - lo / 2) * 2
    few = np.linspace(lo + margin, hi - margin, FOLLOWED, dtype=np.float32)
    put_in = np.concatenate([few, np.linspace(lo, hi, FINE, dtype=np.float32)])[None, :]
    trips = _trips(quantizer, put_in, max(rounds, LATE))
    step, fine = _step(quantizer), trips[:, FOLLOWED:]
    return Drift(
        paths=trips[: rounds + 1, :FOLLOWED].T,
        step=step,
        slope=float(np.median(fine[LATE] - fine[EARLY]) / (LATE - EARLY) / step),
        moved=float((fine[EARLY + 1] != fine[EARLY]).mean()),
        errors=(fine[1 : rounds + 1] - fine[0]).mean(axis=1),
        declared=quantizer.idempotent,
    )


def _trips(quantizer: Quantizer, put_in: np.ndarray, rounds: int) -> np.ndarray:
    """What was put in, and what came back of each trip, (rounds + 1, values), float64."""
    found = [put_in]
    for _ in range(rounds):
        found.append(xp.host(quantizer.fake_quantize(found[-1]))[:1])
    return np.concatenate(found).astype(np.float64)


def _step(quantizer: Quantizer) -> float:
    """The step, or that of an even grid of as many levels over the covered range."""
    if quantizer.step is not None and quantizer.step[0] > 0:
        return float(quantizer.step[0])
    whole, (first, last) = covered(quantizer), quantizer.ends
    width = float(whole.hi[0] - whole.lo[0]) / (last - first)
    return width if width > 0 else 1.0


def drifts(
    names: Iterable[str], lo: float, hi: float, spec: QuantSpec, rounds: int = MOST_ROUNDS
) -> dict[str, Drift | str]:
    """The drift of each mode on one range, per tensor; the reason where a mode refuses."""
    return {name: _one(name, lo, hi, spec, rounds) for name in names}


def _one(name: str, lo: float, hi: float, spec: QuantSpec, rounds: int) -> Drift | str:
    mode = QUANTIZERS.make(name)
    reason = mode.accepts(Target(spec, PER_TENSOR, mode))
    if reason:
        return reason
    try:
        made = mode.quantizer(Range(np.array([lo]), np.array([hi])).as_float32(), spec)
    except QvizError as error:
        return str(error)
    return drift(made, lo, hi, rounds)
