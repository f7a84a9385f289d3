"""SCALED as TensorFlow's documentation states it: one step from the larger magnitude."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.tensorflow.dialect import QUANTIZE_TEXT
from qviz.dialects.tensorflow.ranges import finite, minimum_range_knob, refusal, separated
from qviz.dialects.tensorflow.scaled import SIGNED
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range

TIES = {"HALF_AWAY_FROM_ZERO": "away", "HALF_TO_EVEN": "even"}


@QUANTIZERS.register(
    "tf.scaled@doc", title="SCALED (doc)", source=QUANTIZE_TEXT, golden="own", native=SIGNED
)
@dataclass(frozen=True)
class DocumentedScaled(Mode):
    """Step 2 m / (last - first), m = max(|lo|, |hi|), in float64; real 0 is code 0.

    The lowest signed code is never used: qint8 runs from -127 to 127. Unsigned codes get the
    step of a range twice as wide, and half of them stay unused.
    """

    round_mode: str = knob("HALF_AWAY_FROM_ZERO", options=tuple(TIES), help="where a tie goes")
    ensure_minimum_range: float = minimum_range_knob()

    def accepts(self, target: Target) -> str | None:
        if target.spec.symmetric and not target.spec.signed:
            return "SCALED is symmetric with signed codes only"
        return refusal(target, "SCALED", narrow=target.spec.signed)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        lo, hi = separated(range, self.ensure_minimum_range)
        last = spec.ends[1]
        first = -last if spec.signed else 0
        with np.errstate(over="ignore"):
            m = np.maximum(np.abs(lo), np.abs(hi))
            step = 2 * m / (last - first)
        record("mirrored", -m, m)
        record("scale", step, note=f"twice the largest magnitude over {last - first}")
        zero = np.zeros(step.shape, np.int64)
        return finite(AffineQuantizer(step, zero, first, last, TIES[self.round_mode]), range)
