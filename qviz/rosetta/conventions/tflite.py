"""TensorFlow Lite: int8 tensors with scale and zero point in the model file."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.registry import Source
from qviz.rosetta.conventions.base import CONVENTIONS, INT8, Convention, Expressed, Grid, too_many

SOURCE = Source("TensorFlow Lite", "8-bit quantization specification", "2.21")


@CONVENTIONS.register("tflite_int8", title="TFLite int8", source=SOURCE)
@dataclass(frozen=True)
class TfliteInt8(Convention):
    """Activations -128 to 127 with any zero point, weights -127 to 127 with zero point 0."""

    def express(self, grid: Grid) -> Expressed:
        refused = too_many(grid)
        if refused:
            return Expressed(refused=refused)
        zero = grid.zero - INT8 + (256 - grid.levels)
        lost = "" if zero == 0 else "only activations: weights need zero point 0"
        text = f'"quantization": {{"scale": [{grid.digits}], "zero_point": [{zero}]}}'
        return Expressed(text, f"zero point {zero}", lost=lost)
