"""AIMET: an offset that counts from the lower end, minus the zero point of unsigned codes."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from qviz.registry import Source
from qviz.rosetta.conventions.base import CONVENTIONS, Convention, Expressed, Grid

SOURCE = Source("AIMET", "exported encodings", "1.0.0")


@CONVENTIONS.register("aimet", title="AIMET offset", source=SOURCE)
@dataclass(frozen=True)
class Aimet(Convention):
    """offset = -zero point on codes from 0 up, whatever the type of the codes."""

    def express(self, grid: Grid) -> Expressed:
        bits = round(log2(grid.levels + 1))
        if grid.levels not in (2**bits, 2**bits - 1):
            return Expressed(refused=f"{grid.levels} codes are no whole number of bits")
        offset = -grid.zero if grid.levels == 2**bits else -grid.zero - 1
        symmetric = grid.symmetric or grid.levels < 2**bits
        text = (
            f'{{"bw": {bits}, "dtype": "INT", "is_sym": {str(symmetric).lower()}, '
            f'"scale": [{grid.digits}], "offset": [{offset}]}}'
        )
        lost = "" if grid.levels == 2**bits else "the lowest code, left out here, is not told"
        return Expressed(text, f"offset {offset}", lost=lost)
