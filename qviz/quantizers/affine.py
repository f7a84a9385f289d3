"""The neutral uniform grid: float64 arithmetic, nothing of any framework."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.registry import Source, knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

SOURCE = Source("qviz", "neutral uniform grid", "1")
TIES = {"even": xp.rint, "away": xp.round_away}
FLOOR = 2.0**-1022  # smallest normal float64: a narrower step has lost digits


@dataclass(frozen=True, eq=False)
class AffineQuantizer(Quantizer):
    """q = clamp(round(x / scale) + zero_point), x' = (q - zero_point) * scale; all float64."""

    scale: np.ndarray
    zero_point: np.ndarray
    quant_min: int
    quant_max: int
    tie: str = "even"

    @property
    def ends(self) -> tuple[int, int]:
        return self.quant_min, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.scale

    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float64")
        return TIES[self.tie](xp.div(x, xp.like(self.scale, x, "float64"))) + self._zero(x)

    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float64")
        return (codes - self._zero(codes)) * xp.like(self.scale, codes, "float64")

    def _zero(self, x: Array) -> Array:
        return xp.like(self.zero_point, x, "float64")


def typed(
    scale: np.ndarray | float,
    zero_point: np.ndarray | int,
    quant_min: int,
    quant_max: int,
    tie: str = "even",
) -> AffineQuantizer:
    """A quantizer from known qparams; (groups,) or single numbers.

    Raises
    ------
    QvizError
        A scale that is not finite and positive, a zero point outside the codes, fewer than two
        codes or more than 65,536.
    """
    scale, zero_point = np.atleast_1d(np.float64(scale)), np.atleast_1d(np.asarray(zero_point))
    spec = QuantSpec(16, quant_min=quant_min, quant_max=quant_max)
    if not (np.isfinite(scale) & (scale > 0)).all():
        raise QvizError(
            f"A scale of {scale.min():g} is no step size.", "It must be finite and above 0.", "Type one."
        )
    low, high = spec.ends
    if not ((zero_point >= low) & (zero_point <= high)).all():
        raise QvizError(
            f"Zero point {zero_point.min()} lies outside the codes {low} to {high}.",
            "Real 0 must have a code.",
            "Type one of the codes.",
        )
    return AffineQuantizer(scale, zero_point.astype(np.int64), low, high, tie)


def middle_code(low: int, high: int) -> int:
    """The code of 0 on a symmetric grid: 0 of -128..127, 128 of 0..255."""
    return -((-low - high) // 2)


def symmetric_half(spec: QuantSpec, full_range: bool) -> float:
    """Steps from 0 to the largest magnitude on a symmetric grid.

    Restricted: those above the middle code, so that both signs reach it. Full: half of all
    steps, so that the lowest code is used and the largest positive value is cut by half a step.
    """
    low, high = spec.ends
    return (high - low) / 2 if full_range else high - middle_code(low, high)


def scale_and_zero(range: Range, spec: QuantSpec, full_range: bool) -> tuple[np.ndarray, np.ndarray]:
    """Step size and code of 0 for a range widened to hold 0.

    Affine: scale = (hi - lo) / (quant_max - quant_min), zero_point = half-even
    round(quant_min - lo / scale), clamped. Symmetric: scale = max|x| / half. An empty width
    gives scale 1.
    """
    low, high = spec.ends
    lo, hi = np.minimum(range.lo, 0.0), np.maximum(range.hi, 0.0)
    if spec.symmetric:
        scale = np.maximum(-lo, hi) / symmetric_half(spec, full_range)
        scale = np.where(scale > 0, np.maximum(scale, FLOOR), 1.0)
        return scale, np.full(scale.shape, middle_code(low, high), np.int64)
    steps = float(high - low)
    scale = hi / steps - lo / steps if np.isinf(hi - lo).any() else (hi - lo) / steps
    scale = np.where(scale > 0, np.maximum(scale, FLOOR), 1.0)
    zero = np.clip(np.rint(low - lo / scale), low, high)
    return scale, zero.astype(np.int64)


def refusal(target: Target, full_range: bool) -> str | None:
    """Why a uniform grid cannot serve, or None."""
    if target.spec.symmetric and symmetric_half(target.spec, full_range) < 0.5:
        return "no code above 0: use full_range or more bits"
    return None


@QUANTIZERS.register("affine", title="Uniform", source=SOURCE)
@dataclass(frozen=True)
class Affine(Mode):
    """Uniform grid that holds 0 exactly; symmetric where the codes are asked to be."""

    tie: str = knob("even", options=("even", "away"), help="where a value half-way between goes")
    full_range: bool = knob(False, help="symmetric: use the lowest code as well")

    def accepts(self, target: Target) -> str | None:
        return refusal(target, self.full_range)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        scale, zero = scale_and_zero(range, spec, self.full_range)
        return AffineQuantizer(scale, zero, *spec.ends, self.tie)
