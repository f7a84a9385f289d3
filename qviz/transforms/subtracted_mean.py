"""The mean of each channel taken off before quantizing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.registry import Source
from qviz.transforms.base import TRANSFORMS, Change, Operand, Transform

SOURCE = Source("qviz", "subtracted mean", "1")


@TRANSFORMS.register("subtracted_mean", title="Subtracted mean", source=SOURCE)
@dataclass(frozen=True)
class SubtractedMean(Transform):
    """x_k' = x_k - mean x_k; the constant sum_k w_k mean x_k goes into the bias.

    Helps where values lie far from 0: 0 must be a level, so the range reaches down to it.
    """

    undone = "in the bias"

    def change(self, x: Operand, other: Operand | None) -> Change:
        mean = x.matrix.mean(axis=0, dtype=np.float64) if len(x.matrix) else np.zeros(x.channels)
        return Change(np.ones(x.channels), mean)
