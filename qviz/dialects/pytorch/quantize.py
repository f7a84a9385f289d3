"""PyTorch's real quantization to integers: the zero point is added before rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.pytorch import qparams
from qviz.dialects.pytorch.affine import inverted, spanning, storage_zero
from qviz.dialects.pytorch.contracted import multiply_add
from qviz.dialects.pytorch.dialect import DYNAMIC, QUANTIZE, QUANTIZE_CHANNEL
from qviz.dialects.pytorch.fused_rule import FusedRule
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

INT32 = (-(2**31), 2**31 - 1)


@dataclass(frozen=True, eq=False)
class TorchQuantizer(Quantizer):
    """q = clamp(rint(x * (1 / scale) + zero_point)), x' = scale * (q - zero_point); float32.

    With ``contracted`` the sum is rounded once (8-bit kernel, one scale), else twice.
    ``nan_code`` is what NaN becomes: the highest code, 0 per channel, -2^31 with 32 bits. With
    ``wraps`` (one scale) q - zero_point is an int32 that wraps, else both are rounded to float32.
    """

    formula: ClassVar[str] = (
        "q = clamp(rint(x * (1 / scale) + zero_point)); x' = scale * (q - zero_point); float32"
    )

    scale: np.ndarray
    zero_point: np.ndarray
    quant_min: int
    quant_max: int
    contracted: bool = True
    nan_code: int | None = None
    wraps: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        return self.quant_min, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.scale

    @property
    def arithmetic(self) -> Arithmetic:
        return inverted(self.scale, before=self.zero_point, contracted=self.contracted)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float32")
        inverse = xp.like(np.float32(1) / np.float32(self.scale), x, "float32")
        zero = xp.like(self.zero_point, x, "float32")
        codes = xp.rint(multiply_add(x, inverse, zero) if self.contracted else x * inverse + zero)
        ns = xp.namespace(codes)
        nan = self.quant_max + 1 if self.nan_code is None else self.nan_code
        return ns.where(ns.isnan(codes), float(nan), codes)

    def quantize(self, rows: Array) -> Array:
        codes = self.encode(rows)
        if self.quant_max - self.quant_min >= 2**24:
            codes = xp.astype(codes, "float64")  # float32 has no 2^31 - 1
        return xp.clip(codes, *self.ends)

    @np.errstate(over="ignore", invalid="ignore")
    def dequantize(self, codes: Array) -> Array:
        if self.wraps:
            steps = xp.astype(codes, "float64") - xp.like(self.zero_point, codes, "float64")
            steps = xp.astype((steps - INT32[0]) % 2.0**32 + INT32[0], "float32")
        else:
            steps = xp.astype(codes, "float32") - xp.like(self.zero_point, codes, "float32")
        return xp.like(self.scale, codes, "float32") * steps


def _eight_bits(spec: QuantSpec) -> str | None:
    if spec.ends != QuantSpec(8, spec.signed).ends:
        return "PyTorch quantizes to all codes of qint8 or quint8"
    return None


def _found(range: Range, spec: QuantSpec, eps: float) -> tuple[np.ndarray, np.ndarray]:
    if spec.symmetric:
        return qparams.symmetric(range.lo, range.hi, spec.ends, storage_zero(spec), eps)
    return qparams.affine(range.lo, range.hi, spec.ends, eps)


@QUANTIZERS.register(
    "torch.quantize_per_tensor",
    title="torch Quantize",
    source=QUANTIZE,
    golden="quantize_tensor",
    native=(QuantSpec(8), QuantSpec(8, signed=True, symmetric=True)),
)
@dataclass(frozen=True)
class TorchQuantize(Mode):
    """Real quantization to qint8 or quint8 with the observers' scale and zero point.

    Differs from fake quantization at ties: the zero point is added before rounding.
    """

    eps: float = knob(qparams.EPS, low=2.0**-126, high=1.0, help="smallest scale")

    def accepts(self, target: Target) -> str | None:
        return _eight_bits(target.spec)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return spanning(TorchQuantizer(*_found(range, spec, self.eps), *spec.ends), range)


@QUANTIZERS.register(
    "torch.quantize_per_channel",
    title="torch Quantize ch.",
    source=QUANTIZE_CHANNEL,
    golden="quantize_channel",
)
@dataclass(frozen=True)
class TorchQuantizeChannel(Mode):
    """Real quantization per channel: product and sum are rounded one after the other."""

    eps: float = knob(qparams.EPS, low=2.0**-126, high=1.0, help="smallest scale")

    def accepts(self, target: Target) -> str | None:
        if target.granularity.kind != "per_channel":
            return "PyTorch has another kernel per tensor: torch.quantize_per_tensor"
        return _eight_bits(target.spec)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        found = _found(range, spec, self.eps)
        return spanning(TorchQuantizer(*found, *spec.ends, False, 0), range)


@QUANTIZERS.register(
    "torch.dynamic", title="torch Dynamic", source=DYNAMIC, golden="choose_qparams_dynamic"
)
@dataclass(frozen=True)
class TorchDynamic(Mode):
    """Dynamic quantization: the rule of fbgemm with a float64 scale, to quint8."""

    def accepts(self, target: Target) -> str | None:
        spec = target.spec
        if spec.symmetric or spec.ends not in ((0, 255), (0, 127)):
            return "PyTorch's dynamic quantization is affine, with codes 0 to 255 or 0 to 127"
        return None

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        lo, hi = range.lo.astype(np.float32), range.hi.astype(np.float32)
        scale, zero = FusedRule(spec.ends, precision=np.float64).qparams(lo, hi)
        return spanning(TorchQuantizer(scale, zero, 0, 255), range)
