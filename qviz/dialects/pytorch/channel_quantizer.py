"""PyTorch's fake quantization with one scale per channel, and its two modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.pytorch import qparams
from qviz.dialects.pytorch.affine import inverted, refusal, spanning, storage_zero
from qviz.dialects.pytorch.contracted import multiply_add
from qviz.dialects.pytorch.dialect import FAKE_QUANTIZE_CHANNEL
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

INT64_MIN = -(2.0**63)  # what x86 makes of NaN, infinities and all else that is no int64


@dataclass(frozen=True, eq=False)
class TorchChannelQuantizer(Quantizer):
    """q = zero_point + rint(x * (1 / scale)); for a real one rint(zero_point + x * (1 / scale)).

    x' = (clamp(q) - zero_point) * scale in float64, rounded to float32 unless ``double``. Codes
    go through int64 before the clamp: NaN, infinities and all of 2^63 and more become the lowest
    code, +inf too. ``zero_point`` is whole, float32 (one rounding before rint) or float16 (two).
    """

    # Beyond 2^63 a larger value gets the lowest code; a real zero point of many digits loses
    # the fraction that separates two codes.
    formula: ClassVar[str] = (
        "q = clamp(zero_point + rint(x * (1 / scale))), float32; "
        "x' = (q - zero_point) * scale in float64, rounded to float32"
    )
    idempotent: ClassVar[bool] = False
    monotone: ClassVar[bool] = False

    scale: np.ndarray
    zero_point: np.ndarray
    quant_min: int
    quant_max: int
    double: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        return self.quant_min, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.scale

    @property
    def arithmetic(self) -> Arithmetic:
        if np.issubdtype(self.zero_point.dtype, np.integer):
            return inverted(self.scale, after=self.zero_point)
        half = self.zero_point.dtype == np.float16
        return inverted(self.scale, before=self.zero_point, contracted=not half)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        kind = "float64" if xp.dtype_name(rows) == "float64" else "float32"
        x = xp.astype(rows, kind)
        inverse = xp.like(np.float32(1) / np.float32(self.scale), x, kind)
        zero = xp.like(self.zero_point, x, kind)
        if np.issubdtype(self.zero_point.dtype, np.integer):
            return through_int64(zero + xp.rint(x * inverse))
        half = self.zero_point.dtype == np.float16  # a kernel of its own, not contracted
        sums = x * inverse + zero if half else multiply_add(x, inverse, zero)
        return through_int64(xp.rint(xp.astype(sums, "float32")))  # lrintf takes no float64

    def quantize(self, rows: Array) -> Array:
        return self.clamped(self.encode(rows))

    def clamped(self, codes: Array) -> Array:
        """Codes moved between the ends, in float64, which holds every int32."""
        return xp.clip(xp.astype(codes, "float64"), *self.ends)

    @np.errstate(over="ignore", invalid="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float64")
        zero = xp.like(self.zero_point, codes, "float64")
        back = (codes - zero) * xp.like(self.scale, codes, "float64")
        return back if self.double else xp.astype(back, "float32")


def through_int64(codes: Array) -> Array:
    """Whole numbers as x86 converts them to int64 and back."""
    ns = xp.namespace(codes)
    return ns.where(ns.abs(codes) < -INT64_MIN, codes, INT64_MIN)


def _only_channels(target: Target) -> str | None:
    if target.granularity.kind != "per_channel":
        return "PyTorch has this scheme per channel only"
    return refusal(target.spec)


@QUANTIZERS.register(
    "torch.per_channel_affine",
    title="torch Per channel",
    source=FAKE_QUANTIZE_CHANNEL,
    golden="fq_channel",
)
@dataclass(frozen=True)
class TorchChannelAffine(Mode):
    """PyTorch's scale and whole zero point of each channel, affine or symmetric.

    The numbers are those of ``torch.affine``; what differs is how codes are computed.
    """

    eps: float = knob(qparams.EPS, low=2.0**-126, high=1.0, help="smallest scale")

    def accepts(self, target: Target) -> str | None:
        return _only_channels(target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        if spec.symmetric:
            zero = storage_zero(spec)
            found = qparams.symmetric(range.lo, range.hi, spec.ends, zero, self.eps)
        else:
            found = qparams.affine(range.lo, range.hi, spec.ends, self.eps)
        return spanning(TorchChannelQuantizer(*found, *spec.ends), range)


@QUANTIZERS.register(
    "torch.float_qparams",
    title="torch Float zero",
    source=FAKE_QUANTIZE_CHANNEL,
    golden="module:qscheme=per_channel_affine_float_qparams",
)
@dataclass(frozen=True)
class TorchFloatQParams(Mode):
    """A real zero point per channel: the lower end is a level, real 0 need not be one.

    PyTorch: per_channel_affine_float_qparams, the scheme of embeddings.
    """

    eps: float = knob(qparams.EPS, low=2.0**-126, high=1.0, help="largest width that gets scale 1")

    def accepts(self, target: Target) -> str | None:
        if target.spec.symmetric:
            return "PyTorch's float qparams are affine"
        return _only_channels(target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        found = qparams.float_qparams(range.lo, range.hi, spec.ends, self.eps)
        return spanning(TorchChannelQuantizer(*found, *spec.ends), range)
