"""Learned scales in training: plain gradient descent on the squared error, step by step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qviz.errors import QvizError
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.stateful import Learner
from qviz.spec import QuantSpec

MOST_STEPS = 200
MOST_VALUES = 65_536
ARRIVED = 0.1  # dB below the best that count as arrived
FAR = 1e4  # times beyond the largest magnitude and the start: the parameter has run away
CLIPS = 241  # places of the error curve
AROUND = (1 / 300, 6.0)  # times the largest magnitude: where the curve runs
TOGETHER = 16  # clips tried at once


@dataclass(frozen=True, eq=False)
class Path:
    """The way of one parameter.

    ``values``, ``clips`` (the parameter times its largest code) and ``losses`` (mean squared
    error) after 0, 1 ... steps. Where it ran away ``reason`` says how, and the arrays end at the
    last step that still was a grid.
    """

    values: np.ndarray
    clips: np.ndarray
    losses: np.ndarray
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Curve:
    """SQNR in dB over the clip, both (n,), the best place, and the mean square of the values.

    ``sign`` is what stands before a clip in words: ``±``, or nothing where codes start at 0.
    """

    clips: np.ndarray
    sqnr: np.ndarray
    best: float
    best_sqnr: float
    energy: float
    sign: str = "±"

    def level(self, losses: np.ndarray) -> np.ndarray:
        """SQNR in dB of mean squared errors."""
        return 10 * np.log10(self.energy / np.maximum(losses, np.finfo(np.float64).tiny))


def codes(bits: int, signed: bool) -> QuantSpec:
    """The codes that all rules learn with: [-Q, Q], or [0, 2^bits - 1] without negative values.

    Raises
    ------
    QvizError
        There is no code above 0.
    """
    if bits < 2 and signed:
        raise QvizError(
            "With one bit there is no code on either side of 0.",
            "A learned scale is symmetric about 0.",
            "Use 2 bits or more.",
        )
    return QuantSpec(bits, signed=signed, symmetric=True, narrow_range=signed)


def fit(
    learner: Learner,
    data: tuple[np.ndarray, np.ndarray],
    spec: QuantSpec,
    start: float,
    rate: float,
    steps: int,
) -> Path:
    """``steps`` times parameter -= rate * factor * gradient of the mean squared error.

    ``data`` are finite values with weights that add up to the number of elements. The gradient
    is the sum of the terms of the rule's own ``backward`` for the upstream gradient
    2 (x' - x) weight / count, added in float64.

    Raises
    ------
    QvizError
        More than 200 steps or 65,536 values, no value, a start or a rate that is not above 0.
    """
    _checked(data[0].size, start, rate, steps)
    x = data[0].astype(np.float32)[None, :]
    share = (data[1] / data[1].sum())[None, :]
    clips = float(np.abs(x).max()) or start, start * learner.largest(spec)
    factor = learner.factor(round(float(data[1].sum())), spec)[0]
    value, reason = start, ""
    kept: list[tuple[float, float]] = []
    for _ in range(steps + 1):
        reason = _runaway(value * learner.largest(spec), (min(clips) / FAR, max(clips) * FAR))
        if reason:
            break
        loss, gradient = descent(learner, value, (x, share), spec)
        kept.append((value, loss))
        value = learner.raised(value - rate * factor * gradient)
    values, losses = np.array(kept, np.float64).reshape(-1, 2).T
    return Path(values, values * learner.largest(spec), losses, reason)


@np.errstate(all="ignore")
def descent(
    learner: Learner, value: float, data: tuple[np.ndarray, np.ndarray], spec: QuantSpec
) -> tuple[float, float]:
    """Mean squared error at one value of the parameter, and its gradient by the rule.

    ``data`` are rows (1, n) and the share of each value in the mean.
    """
    x, share = data
    grid = learner.quantizer(value, spec)
    error = grid.fake_quantize(x).astype(np.float64) - x
    upstream = (2 * error * share).astype(np.float32)
    terms = grid.backward(x, upstream).parameters[learner.parameter]
    return float((error * error * share).sum()), float(terms.astype(np.float64).sum())


def curve(data: tuple[np.ndarray, np.ndarray], spec: QuantSpec) -> Curve:
    """SQNR of the uniform grid with these codes over 241 clips, log-spaced around the data.

    Raises
    ------
    QvizError
        All values are 0: there is nothing to learn.
    """
    x, share = data[0].astype(np.float64)[None, :], data[1] / max(data[1].sum(), 1.0)
    energy = float((x[0] * x[0] * share).sum())
    if not energy:
        raise QvizError("All values are 0.", "Every scale keeps them.", "Choose another tensor.")
    largest = float(np.abs(x).max())
    clips = np.geomspace(largest * AROUND[0], largest * AROUND[1], CLIPS)
    level = _sqnr(x, share, energy, clips, spec)
    top = int(np.argmax(level))
    near = np.geomspace(clips[max(top - 1, 0)], clips[min(top + 1, CLIPS - 1)], TOGETHER)
    fine = _sqnr(x, share, energy, near, spec)
    best = int(np.argmax(fine))
    return Curve(
        clips, level, float(near[best]), float(fine[best]), energy, "±" if spec.signed else ""
    )


def arrival(path: Path, found: Curve) -> int | None:
    """The first step from which the path stays within 0.1 dB of the best, or None."""
    out = np.flatnonzero(found.level(path.losses) < found.best_sqnr - ARRIVED)
    first = int(out[-1]) + 1 if out.size else 0
    return first if not path.reason and first < path.clips.size else None


def lost(path: Path, found: Curve) -> bool:
    """Whether it ran away: it broke off, or its clip and error end worse than they began."""
    if path.reason:
        return True
    first, last = (abs(float(np.log(path.clips[end] / found.best))) for end in (0, -1))
    worse = bool(path.losses[-1] > path.losses[0])
    return worse and last > first and arrival(path, found) is None


def _sqnr(
    x: np.ndarray, share: np.ndarray, energy: float, clips: np.ndarray, spec: QuantSpec
) -> np.ndarray:
    low, high = spec.ends
    noise = np.empty(clips.size)
    for start in range(0, clips.size, TOGETHER):
        some = slice(start, start + TOGETHER)
        scale = clips[some] / high
        grid = AffineQuantizer(scale, np.zeros(scale.size, np.int64), low, high)
        error = grid.fake_quantize(x) - x
        noise[some] = (error * error) @ share
    return Curve(clips, noise, 0.0, 0.0, energy).level(noise)


def _runaway(clip: float, within: tuple[float, float]) -> str:
    if not math.isfinite(clip) or clip > within[1]:
        return "diverged"
    if clip <= 0:
        return "went negative" if clip < 0 else "fell to 0"
    return "shrank to nothing" if clip < within[0] else ""


def _checked(count: int, start: float, rate: float, steps: int) -> None:
    if not 0 <= steps <= MOST_STEPS:
        raise QvizError(f"{steps} steps are not offered.", f"Choose 0 to {MOST_STEPS}.")
    if not 0 < count <= MOST_VALUES:
        raise QvizError(f"{count:,} values cannot be fitted.", f"Use 1 to {MOST_VALUES:,}.")
    if not (start > 0 and math.isfinite(start) and rate > 0 and math.isfinite(rate)):
        raise QvizError(
            f"Start {start:g} and rate {rate:g} lead nowhere.", "Both must be above 0 and finite."
        )
