"""The uniform grid with its step raised to a power of two: a shift instead of a product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.quantizers.affine import (
    AffineQuantizer,
    refusal,
    scale_and_zero,
    widened,
    zero_code,
)
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import Source, knob
from qviz.spec import QuantSpec, Range

SOURCE = Source("qviz", "neutral power-of-two grid", "1")
LARGEST = 1023  # exponent of the largest power of two that is a float64


@QUANTIZERS.register("power_of_two", title="Power of two", source=SOURCE)
@dataclass(frozen=True)
class PowerOfTwo(Mode):
    """scale = 2^ceil(log2 s), s the uniform grid's scale; the zero point follows from it."""

    tie: str = knob("even", options=("even", "away"), help="where a value half-way between goes")
    full_range: bool = knob(False, help="symmetric: use the lowest code as well")

    def accepts(self, target: Target) -> str | None:
        return refusal(target, self.full_range)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        scale, zero = scale_and_zero(range, spec, self.full_range)
        mantissa, exponent = np.frexp(scale)  # exact: no logarithm decides a step
        exponent = np.where(mantissa == 0.5, exponent - 1, exponent)
        record("scale before floor", scale)
        scale = np.ldexp(1.0, np.minimum(exponent, LARGEST))
        record("scale", scale, note="raised to a power of two")
        if not spec.symmetric:
            zero = zero_code(widened(range)[0], scale, spec)
        return AffineQuantizer(scale, zero, *spec.ends, self.tie)
