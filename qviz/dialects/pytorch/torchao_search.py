"""The search of torchao's MSE observer: symmetric ranges, narrow to wide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.float32 import total
from qviz.dialects.pytorch.names import handed
from qviz.dialects.pytorch.running import Ends
from qviz.dialects.pytorch.torchao_blocks import Blocks, Shape
from qviz.dialects.pytorch.torchao_quantizer import fake_quantize_affine
from qviz.xp import Array

WORST = 1e9  # mean squared errors from here on are never chosen
Codes = tuple[str, float | None, float | None, str]  # type, quant_min, quant_max, domain


@dataclass(frozen=True, eq=False)
class LineSearch:
    """One batch ``x``, its blocks and codes, and the qparams of given ends.

    Float32; errors are summed in torch's order, by torch itself where ``kind`` is a tensor.
    """

    x: Array
    kind: Array
    block_size: Shape
    codes: Codes
    qparams: Callable[[Array, Array], tuple[Any, Any]]

    @property
    def blocks(self) -> Blocks:
        """The blocks of the batch."""
        return Blocks.of(tuple(self.x.shape), self.block_size)

    def chosen(self, ends: Ends, steps: int) -> Ends:
        """Ends -t and t of the first least mean squared error, t = R / steps * i, i = 1 .. steps.

        R = max(abs(min x), max x) of the batch's own ``ends``, which stay where no error is
        below 1e9.
        """
        with np.errstate(all="ignore"):
            reach = np.maximum(np.abs(ends.lo), ends.hi)
            lo, hi, least = ends.lo, ends.hi, np.full(ends.lo.shape, WORST, np.float32)
            for i in range(1, steps + 1):
                t = reach / np.float32(steps) * np.float32(i)
                loss = self._loss(t)
                better = loss < least
                lo, hi = np.where(better, -t, lo), np.where(better, t, hi)
                least = np.minimum(loss, least)
            return Ends(lo, hi)

    def _loss(self, t: np.ndarray) -> np.ndarray:
        """Mean squared error of each block under the ends -t and t."""
        dtype, low, high, domain = self.codes
        scale, zero = self.qparams(-t, t)
        back = fake_quantize_affine(self.x, self.block_size, scale, zero, dtype, low, high, domain)
        error, blocks = back - self.x, self.blocks
        if xp.namespace(self.kind) is np:
            rows = np.ascontiguousarray(blocks.rows(error * error))
            return (total(rows) / np.float32(rows.shape[1])).reshape(blocks.shape)
        squares = handed(error * error, self.kind).reshape(blocks.view)
        return xp.host(squares.mean(blocks.reduced))
