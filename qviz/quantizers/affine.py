"""The neutral uniform grid: float64 arithmetic, nothing of any framework."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import Source, knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

SOURCE = Source("qviz", "neutral uniform grid", "1")
TIES = {"even": xp.rint, "away": xp.round_away}
FLOOR = 2.0**-1022  # smallest normal float64: a narrower step has lost digits
CEILING = np.finfo(np.float64).max
LEAST_HALF = 0.5  # steps on either side of 0 that a symmetric grid needs
NO_CODE_ABOVE = ("There is no code above that of 0.", "Use full_range or more bits.")


@dataclass(frozen=True, eq=False)
class AffineQuantizer(Quantizer):
    """q = clamp(round(x / scale) + zero_point), x' = (q - zero_point) * scale; all float64."""

    formula: ClassVar[str] = (
        "q = clamp(round(x / scale) + zero_point); x' = (q - zero_point) * scale; float64"
    )

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

    @property
    def arithmetic(self) -> Arithmetic:
        return Arithmetic(self.tie, "float64", self.scale, after=self.zero_point)

    @np.errstate(over="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float64")
        return TIES[self.tie](xp.div(x, xp.like(self.scale, x, "float64"))) + self._zero(x)

    @np.errstate(over="ignore")
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
        A scale that is not finite and positive, a zero point that is no code, lengths that do
        not agree, fewer than two codes or more than 65,536, an unknown rule for ties.
    """
    scale, zero_point = np.atleast_1d(np.float64(scale)), np.atleast_1d(np.asarray(zero_point))
    low, high = QuantSpec(16, quant_min=quant_min, quant_max=quant_max).ends
    bad = scale[~(np.isfinite(scale) & (scale > 0))]
    if bad.size:
        why, do = "It must be finite and above 0.", "Type such a number."
        raise QvizError(f"A scale of {bad[0]:g} is no step size.", why, do)
    outside = zero_point[~np.isin(zero_point, np.arange(low, high + 1))]
    if outside.size:
        why, do = "Real 0 must have a code.", f"Type a whole number from {low} to {high}."
        raise QvizError(f"Zero point {outside[0]} is not one of the codes.", why, do)
    if tie not in TIES:
        raise QvizError(f"No rule for ties is called {tie!r}.", f"Known: {', '.join(TIES)}.")
    if {scale.ndim, zero_point.ndim} != {1} or len({scale.size, zero_point.size} - {1}) > 1:
        what = f"Scales of shape {scale.shape}, zero points of shape {zero_point.shape}."
        raise QvizError(what, "They go together group by group.", "Give one of each per group.")
    scale, zero_point = np.broadcast_arrays(scale, zero_point.astype(np.int64))
    return AffineQuantizer(scale, zero_point, low, high, tie)


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


def scale_and_zero(
    range: Range, spec: QuantSpec, full_range: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Step size and code of 0 for a range widened to hold 0.

    Affine: scale = (hi - lo) / (quant_max - quant_min), zero_point = half-even
    round(quant_min - lo / scale), clamped. Symmetric: scale = max|x| / half. An empty width
    gives scale 1; any other scale is a normal float64.

    Raises
    ------
    QvizError
        An end of the range is NaN or infinite, or there is no code above that of 0.
    """
    low, high = spec.ends
    lo, hi = widened(range)
    if spec.symmetric:
        half = symmetric_half(spec, full_range)
        if half < LEAST_HALF:
            raise QvizError(f"Codes {low} to {high} cannot be symmetric.", *NO_CODE_ABOVE)
        m = np.maximum(-lo, hi)
        scale = _normal(m, half)
        record("mirrored", -m, m)
        record("scale", scale, note=f"largest magnitude over {half:g}")
        return scale, np.full(scale.shape, middle_code(low, high), np.int64)
    with np.errstate(over="ignore"):
        width = hi - lo
    halves = np.isinf(width)  # both ends are near the largest float64
    scale = np.where(halves, _normal(hi / 2 - lo / 2, (high - low) / 2), _normal(width, high - low))
    record("scale", scale, note=f"width over {high - low}")
    return scale, zero_code(lo, scale, spec)


def widened(range: Range) -> tuple[np.ndarray, np.ndarray]:
    """Both ends, moved so that 0 lies between them."""
    if not (np.isfinite(range.lo) & np.isfinite(range.hi)).all():
        what = f"A range from {range.lo.min():g} to {range.hi.max():g} has no steps."
        raise QvizError(what, "Both ends must be finite.", "Choose another observer.")
    lo, hi = np.minimum(range.lo, 0.0), np.maximum(range.hi, 0.0)
    record("widened", lo, hi, note="until 0 is inside")
    return lo, hi


def zero_code(lo: np.ndarray, scale: np.ndarray, spec: QuantSpec) -> np.ndarray:
    """Code of 0, int64: half-even round(quant_min - lo / scale), clamped."""
    low, high = spec.ends
    raw = low - lo / scale
    whole = np.rint(raw)
    record("raw zero point", raw)
    record("rounded", whole, note="half to even")
    return np.clip(whole, low, high).astype(np.int64)


def _normal(width: np.ndarray, steps: float) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        scale = np.minimum(width / steps, CEILING)
    return np.where(width > 0, np.maximum(scale, FLOOR), 1.0)


def refusal(target: Target, full_range: bool) -> str | None:
    """Why a uniform grid cannot serve, or None."""
    if target.spec.symmetric and symmetric_half(target.spec, full_range) < LEAST_HALF:
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
