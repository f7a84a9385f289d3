"""NVIDIA's grid: symmetric about 0, given by one largest magnitude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.nvidia.dialect import CALIBRATOR
from qviz.dialects.nvidia.mse import EPSILON
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

NARROW = (QuantSpec(8, signed=True, symmetric=True, narrow_range=True),)


@dataclass(frozen=True, eq=False)
class AmaxQuantizer(Quantizer):
    """q = clamp(rint(x * s)), s = last / amax, x' = q / s; float32, zero point 0.

    ``amax`` has shape (groups,). Where it is at most 2^-24 everything becomes 0. NaN stays NaN.
    """

    formula: ClassVar[str] = "q = clamp(rint(x * s)), s = 127 / amax; x' = q / s; float32"

    amax: np.ndarray
    last: int

    @property
    def ends(self) -> tuple[int, int]:
        return -self.last, self.last

    @property
    def step(self) -> np.ndarray:
        return np.where(self._nothing, np.float32(0), self.amax / np.float32(self.last))

    @property
    def zero_point(self) -> np.ndarray:
        """Code of real 0, (groups,)."""
        return np.zeros(self.amax.shape, np.int64)

    @property
    def arithmetic(self) -> Arithmetic:
        return Arithmetic("even", "float32", self._multiplier, False)

    @np.errstate(over="ignore", invalid="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float32")
        return xp.rint(x * xp.like(self._multiplier, x, "float32"))

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        divisor = np.where(self._nothing, np.float32(np.inf), self._multiplier)
        return xp.div(codes, xp.like(divisor, codes, "float32"))

    @property
    def _nothing(self) -> np.ndarray:
        return self.amax <= EPSILON

    @property
    @np.errstate(all="ignore")
    def _multiplier(self) -> np.ndarray:
        return np.where(self._nothing, np.float32(0), np.float32(self.last) / self.amax)


@QUANTIZERS.register(
    "nvidia.amax", title="NVIDIA amax", source=CALIBRATOR, golden="own", native=NARROW
)
@dataclass(frozen=True)
class Amax(Mode):
    """Codes -127 to 127 for [-amax, amax], amax the larger magnitude of the range.

    Differs: taken from the errors that the calibrator weighs, in float32; TensorRT itself was not
    run.
    """

    def accepts(self, target: Target) -> str | None:
        spec = target.spec
        low, high = spec.ends
        if not spec.symmetric or low != -high:
            return "NVIDIA's integers are symmetric: signed codes with narrow_range"
        if target.granularity.kind not in ("per_tensor", "per_channel"):
            return "NVIDIA has one amax per tensor or per channel"
        return None

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        kept = range.as_float32()
        amax = np.maximum(-kept.lo, kept.hi).astype(np.float32)
        record("mirrored", -amax, amax, note="amax")
        if not np.isfinite(amax).all():
            raise QvizError(
                f"An amax of {amax.max():g} has no step.",
                "It must be finite in float32.",
                "Choose another range.",
            )
        record("scale before floor", amax / np.float32(spec.ends[1]), note="amax over 127")
        return AmaxQuantizer(amax, spec.ends[1])
