"""Quantizers that are not a uniform grid, for tests."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz.quantizers.base import Quantizer

LEVELS = np.array([-1.0, 0.0, 0.5, 2.0])


@dataclass(frozen=True, eq=False)
class Codebook(Quantizer):
    """Four uneven levels; beyond the last level there are codes -1 and 4."""

    @property
    def ends(self):
        return 0, 3

    @property
    def step(self):
        return None

    def encode(self, rows):
        edges = np.array([-1.5, -0.5, 0.25, 1.25, 2.5])
        return np.searchsorted(edges, np.asarray(rows, np.float64)) - 1.0

    def dequantize(self, codes):
        return LEVELS[np.asarray(codes).astype(int)]


@dataclass(frozen=True, eq=False)
class Wrapping(Quantizer):
    """Steps of 1 whose codes wrap around instead of saturating."""

    monotone: ClassVar[bool] = False

    @property
    def ends(self):
        return 0, 3

    @property
    def step(self):
        return np.array([1.0])

    def encode(self, rows):
        return np.rint(np.asarray(rows, np.float64))

    def quantize(self, rows):
        return np.mod(self.encode(rows), 4)

    def dequantize(self, codes):
        return np.asarray(codes, np.float64)


@dataclass(frozen=True, eq=False)
class Numberless(Quantizer):
    """An infinite step: nothing that comes back is a number."""

    @property
    def ends(self):
        return 0, 3

    @property
    def step(self):
        return np.array([np.inf])

    def encode(self, rows):
        return np.rint(np.asarray(rows, np.float64) / np.inf)

    def dequantize(self, codes):
        return np.asarray(codes, np.float64) * np.inf
