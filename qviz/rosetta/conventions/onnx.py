"""ONNX: a scale and a zero point whose type is that of the codes."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.registry import Source
from qviz.rosetta.conventions.base import CONVENTIONS, INT8, Convention, Expressed, Grid, too_many

SOURCE = Source("ONNX", "QuantizeLinear, DequantizeLinear", "operator set 21")


def _written(grid: Grid, kind: str, low: int) -> Expressed:
    refused = too_many(grid)
    if refused:
        return Expressed(refused=refused)
    zero = grid.zero + low
    lost = "" if grid.levels == 256 else f"all 256 codes of {kind} are used: clip x first"
    text = f"QuantizeLinear(x, y_scale=float32({grid.digits}), y_zero_point={kind}({zero}))"
    return Expressed(text, f"zero point {zero}", lost=lost)


@CONVENTIONS.register("onnx_uint8", title="ONNX uint8", source=SOURCE)
@dataclass(frozen=True)
class OnnxUint8(Convention):
    """Codes 0 to 255."""

    def express(self, grid: Grid) -> Expressed:
        return _written(grid, "uint8", 0)


@CONVENTIONS.register("onnx_int8", title="ONNX int8", source=SOURCE)
@dataclass(frozen=True)
class OnnxInt8(Convention):
    """Codes -128 to 127."""

    def express(self, grid: Grid) -> Expressed:
        return _written(grid, "int8", INT8 - grid.levels if grid.levels < 256 else -INT8)
