"""fake_quant as TensorFlow's documentation states it: the lower end moved to a whole step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.dialect import FAKE_QUANT_TEXT
from qviz.dialects.tensorflow.fake_quant import unsigned_only
from qviz.dialects.tensorflow.ranges import finite
from qviz.errors import QvizError
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.spec import QuantSpec, Range


@QUANTIZERS.register(
    "tf.fake_quant@doc", title="fake_quant (doc)", source=FAKE_QUANT_TEXT, golden="own"
)
@dataclass(frozen=True)
class DocumentedFakeQuant(Mode):
    """scale = (max - min) / (2^bits - 1), min_adj = scale round(min / scale); float64.

    0 < min: the range becomes [0, max - min]; max < 0: [min - max, 0]. Levels run from min_adj in
    whole steps; a tie goes away from zero. With narrow_range the same scale serves one code less.
    """

    def accepts(self, target: Target) -> str | None:
        if target.granularity.kind not in ("per_tensor", "per_channel"):
            return "TensorFlow has fake_quant per tensor and per channel"
        return unsigned_only(target.spec)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        with np.errstate(over="ignore"):
            width = range.hi - range.lo
            low = np.where(range.lo > 0, 0.0, np.where(range.hi < 0, -width, range.lo))
            scale = width / (2**spec.bits - 1)
        if not (scale > 0).all():
            raise QvizError(
                f"A range from {range.lo.min():g} to {range.hi.max():g} has no step.",
                "The documented scale is its width, divided.",
                "Choose a wider range.",
            )
        if ((range.lo > 0) | (range.hi < 0)).any():
            record("shifted", low, low + width, note="its width kept, until 0 is inside")
        record("scale", scale, note=f"width over {2**spec.bits - 1}")
        record("raw zero point", spec.ends[0] - low / scale)
        zero = spec.ends[0] - xp.round_away(low / scale)
        record("rounded", zero, note="half away from zero")
        made = AffineQuantizer(scale, zero.astype(np.int64), *spec.ends, "away")
        return finite(made, range)
