"""Group-wise int4: sixteen codes between the extremes of each small group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.quantizers.affine import FLOOR, AffineQuantizer, widened
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import Source
from qviz.spec import QuantSpec, Range

SOURCE = Source("qviz", "group-wise int4, 32 or 128 weights a group", "1")
CODES = (0, 15)
MIDDLE = 8


@QUANTIZERS.register(
    "group_int4",
    title="Group int4",
    source=SOURCE,
    golden="group_int4",
    native=(QuantSpec(4),),
)
@dataclass(frozen=True)
class GroupInt4(Mode):
    """x' = (q - zero_point) * scale with codes 0 to 15; float64, half to even.

    The range is stretched to hold 0, scale = (hi - lo) / 15. Affine: zero_point = round(-lo /
    scale). Symmetric: [-m, m] with m = max|x| if lo < 0, else [0, m]; the zero point is 8 either
    way. A group of zeros uses [-1, 1]. Meant for ``per_group:-1:32`` or ``per_group:-1:128``.

    Differs: a symmetric group without negative values wastes the codes below 8 and clips its
    upper half, since [0, m] meets the zero point 8.
    """

    def accepts(self, target: Target) -> str | None:
        return None if target.spec.ends == CODES else "int4 groups have the codes 0 to 15"

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        lo, hi = widened(range)
        if spec.symmetric:
            hi = np.maximum(-lo, hi)
            lo = np.where(lo < 0, -hi, 0.0)
            record("mirrored", lo, hi)
        nothing = lo == hi
        lo, hi = np.where(nothing, -1.0, lo), np.where(nothing, 1.0, hi)
        steps = CODES[1] - CODES[0]
        with np.errstate(over="ignore", under="ignore"):
            whole, halves = (hi - lo) / steps, hi / steps - lo / steps
        scale = np.maximum(np.where(np.isfinite(whole), whole, halves), FLOOR)
        record("scale", scale, note=f"width over {steps}")
        if not spec.symmetric:
            record("raw zero point", -lo / scale)
        zero = np.full(lo.shape, MIDDLE) if spec.symmetric else np.rint(-lo / scale)
        return AffineQuantizer(scale, zero.astype(np.int64), *CODES)
