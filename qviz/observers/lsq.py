"""The step sizes from which LSQ and LSQ+ start to learn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.observers.aciq import population_std
from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import Source
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.moments import Moments, MomentsState

LSQ = Source("LSQ (Esser et al.)", "initial step size", "2020")
LSQ_PLUS = Source("LSQ+ (Bhalgat et al.)", "initial step size of weights", "2020")


def largest(bits: int) -> int:
    """Qp = 2^(bits - 1) - 1, the largest signed code."""
    return 2 ** (bits - 1) - 1


def lsq_step(moments: MomentsState, bits: int) -> np.ndarray:
    """LSQ's first step: 2 * mean|x| / sqrt(Qp), (groups,)."""
    return 2 * moments.a1 / np.maximum(moments.n, 1) / np.sqrt(largest(bits))


def gradient_scale(moments: MomentsState, bits: int) -> np.ndarray:
    """Factor on the step's gradient: 1 / sqrt(n * Qp), (groups,), n elements in each group."""
    return 1 / np.sqrt(np.maximum(moments.n, 1) * largest(bits))


def lsq_plus_step(moments: MomentsState, bits: int) -> np.ndarray:
    """LSQ+'s first step for weights: max(|mean - 3 std|, |mean + 3 std|) / 2^(bits - 1)."""
    far = 3 * population_std(moments.m2, moments.n)
    return np.maximum(np.abs(moments.mean - far), np.abs(moments.mean + far)) / 2 ** (bits - 1)


def refusal(target: Target) -> str | None:
    """Why there is no step, or None."""
    return "one bit leaves no code above 0: use 2 bits or more" if target.spec.bits < 2 else None


@OBSERVERS.register("lsq", title="LSQ start", source=LSQ, presets={})
@dataclass(frozen=True)
class LsqObserver(Observer):
    """lo, hi = -Qp * s, Qp * s with s = 2 * mean|x| / sqrt(Qp), Qp = 2^(bits - 1) - 1.

    s is where LSQ starts: training moves it. A symmetric signed grid over this range has the
    step s. [0, 0] for a group without finite elements.

    Differs: Qp is that of signed codes whatever the codes are.
    """

    @property
    def needs(self) -> Needs:
        return (Moments(),)

    def accepts(self, target: Target) -> str | None:
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        far = largest(target.spec.bits) * lsq_step(seen[Moments()], target.spec.bits)
        return Range(0.0 - far, far)


@OBSERVERS.register("lsq_plus", title="LSQ+ start", source=LSQ_PLUS, presets={})
@dataclass(frozen=True)
class LsqPlusObserver(Observer):
    """lo, hi = -Qp * s, Qp * s with s = max(|mean - 3 std|, |mean + 3 std|) / 2^(bits - 1).

    Population standard deviation; Qp = 2^(bits - 1) - 1. s is where LSQ+ starts for weights. A
    symmetric signed grid over this range has the step s. [0, 0] for a group without finite
    elements.

    Differs: the rule for activations, a search, is not offered.
    """

    @property
    def needs(self) -> Needs:
        return (Moments(),)

    def accepts(self, target: Target) -> str | None:
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        far = largest(target.spec.bits) * lsq_plus_step(seen[Moments()], target.spec.bits)
        return Range(0.0 - far, far)
