"""MindSpore: minimum and maximum of a fake-quantizer, from which scale and zero point follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.registry import Source
from qviz.rosetta.conventions.base import CONVENTIONS, Convention, Expressed, Grid

SOURCE = Source("MindSpore", "nn.FakeQuantWithMinMaxObserver", "1.9")
BITS = {16: "INT4", 128: "INT7", 256: "INT8", 15: "INT4", 127: "INT7", 255: "INT8"}


@CONVENTIONS.register("mindspore", title="MindSpore", source=SOURCE)
@dataclass(frozen=True)
class MindSpore(Convention):
    """min_init and max_init of the grid's own ends, with 4, 7 or 8 bits."""

    def express(self, grid: Grid) -> Expressed:
        kind = BITS.get(grid.levels)
        if kind is None:
            return Expressed(refused=f"it has 4, 7 or 8 bits, not {grid.levels} codes")
        if not grid.lo < grid.hi or not np.isfinite([grid.lo, grid.hi]).all():
            return Expressed(refused="its range must have a width")
        low, high = np.float32(grid.lo), np.float32(grid.hi)
        narrow = grid.levels % 2 == 1
        text = (
            f"nn.FakeQuantWithMinMaxObserver({low}, {high}, quant_dtype=QuantDtype.{kind}"
            f"{', narrow_range=True' * narrow})"
        )
        zero = grid.zero - (grid.levels + narrow) // 2 + narrow
        lost = "scale and zero point are computed again from the two ends"
        return Expressed(text, f"zero point {zero} in the documentation's codes", lost=lost)
