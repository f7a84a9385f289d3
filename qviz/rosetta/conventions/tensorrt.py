"""TensorRT: one largest magnitude, or its scale as eight hexadecimal digits in a cache."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.registry import Source
from qviz.rosetta.conventions.base import CONVENTIONS, Convention, Expressed, Grid

SOURCE = Source("TensorRT", "calibration cache", "10")
LAST = 127


@CONVENTIONS.register("tensorrt_amax", title="TensorRT amax", source=SOURCE)
@dataclass(frozen=True)
class TensorRt(Convention):
    """amax = 127 * scale; there is no zero point."""

    def express(self, grid: Grid) -> Expressed:
        if grid.levels not in (2 * LAST + 1, 2 * LAST + 2):
            return Expressed(refused=f"it has 8 bits, not {grid.levels} codes")
        if grid.zero != grid.levels // 2:
            zero = grid.zero - grid.levels // 2
            why = f"TensorRT has no zero point, and this one lies {zero:+d} from the middle code"
            return Expressed(refused=why)
        scale = np.float32(grid.scale)
        amax = np.float32(LAST) * scale
        lost = "" if grid.levels == 2 * LAST + 1 else "code -128 is not used there"
        digits = f"{int(scale.view(np.uint32)):08x}"
        text = f"tensor: {digits}"
        return Expressed(text, f"amax {amax}, scale {scale} as float32 bits", lost=lost)
