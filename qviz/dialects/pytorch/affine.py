"""PyTorch's fake quantization with one scale: the observers' qparams, float32 arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.pytorch import qparams
from qviz.dialects.pytorch.contracted import multiply_add
from qviz.dialects.pytorch.dialect import FAKE_QUANTIZE
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target, covered
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

EXACT = 2**22  # differences of whole numbers up to here are exact in float32


@dataclass(frozen=True, eq=False)
class TorchAffineQuantizer(Quantizer):
    """q = rint(x * (1 / scale)) + zero_point, x' = (clamp(q) - zero_point) * scale; float32.

    float64 rows get their codes in float64, their levels in float32 all the same. NaN becomes
    the lowest code and counts as below it. This is the arithmetic of one scale per tensor; with
    one per channel PyTorch sends +inf to the lowest code instead of the highest.
    """

    formula: ClassVar[str] = (
        "q = clamp(rint(x * (1 / scale)) + zero_point); x' = (q - zero_point) * scale; float32"
    )

    scale: np.ndarray
    zero_point: np.ndarray
    quant_min: int
    quant_max: int

    @property
    def ends(self) -> tuple[int, int]:
        return self.quant_min, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.scale

    @property
    def arithmetic(self) -> Arithmetic:
        return inverted(self.scale, after=self.zero_point)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        kind = "float64" if xp.dtype_name(rows) == "float64" else "float32"
        x = xp.astype(rows, kind)
        inverse = np.float32(1) / np.float32(self.scale)
        codes = xp.rint(x * xp.like(inverse, x, kind)) + xp.like(self.zero_point, x, kind)
        ns = xp.namespace(x)
        return ns.where(ns.isnan(codes), -float("inf"), codes)

    @np.errstate(over="ignore", invalid="ignore")
    def dequantize(self, codes: Array) -> Array:
        wide = max(-self.quant_min, self.quant_max, int(np.abs(self.zero_point).max())) > EXACT
        codes = xp.astype(codes, "float64" if wide else "float32")  # PyTorch subtracts in int64
        steps = codes - xp.like(self.zero_point, codes, xp.dtype_name(codes))
        return xp.astype(steps, "float32") * xp.like(self.scale, codes, "float32")


@np.errstate(all="ignore")
def inverted(
    scale: np.ndarray,
    *,
    before: np.ndarray | None = None,
    after: np.ndarray | None = None,
    contracted: bool = False,
) -> Arithmetic:
    """PyTorch's way to codes: float32, x * (1 / scale), half to even."""
    once = multiply_add if contracted else None
    factor = np.float32(1) / np.asarray(scale, np.float32)
    return Arithmetic("even", "float32", factor, False, True, before=before, after=after, once=once)


def storage_zero(spec: QuantSpec) -> int:
    """Zero point of the symmetric schemes.

    Signed types: 0. quint8: 128, or the middle of codes that are not its own. uint16: 32768.
    """
    if spec.signed:
        return 0
    if spec.bits > 8:
        return 2**15
    own = spec.bits == 8 and spec.quant_min is None and not spec.narrow_range
    return 128 if own else sum(spec.ends) // 2


def refusal(spec: QuantSpec) -> str | None:
    """Why no PyTorch type has these codes, or None."""
    low, high = spec.ends
    if not low <= 0 <= high:
        return "PyTorch needs 0 among the codes"
    if spec.signed and spec.bits <= 8 and high - low > 255:
        return "PyTorch's qint8 has at most 256 codes"
    if spec.bits == 16 and spec.reduce_range and spec.quant_min is None:
        return "PyTorch's reduce_range leaves 16-bit types as they are"
    if spec.symmetric and spec.bits > 8 and not low <= storage_zero(spec) <= high:
        return "PyTorch's zero point 32768 of uint16 is none of the codes"
    return None


def spanning(made: Quantizer, range: Range) -> Quantizer:
    """The quantizer, where all its levels are finite.

    Raises
    ------
    QvizError
        Its scale, or a level, overflows.
    """
    spanned = covered(made)
    if not (np.isfinite(spanned.lo) & np.isfinite(spanned.hi)).all():
        raise QvizError(
            f"The range {range.lo.min():g} to {range.hi.max():g} is too wide for PyTorch.",
            "The scale, or the last level, overflows float32.",
            "Choose a narrower range.",
        )
    return made


@QUANTIZERS.register(
    "torch.affine",
    title="torch Affine",
    source=FAKE_QUANTIZE,
    golden="fq_tensor",
    native=(QuantSpec(8), QuantSpec(8, signed=True, symmetric=True)),
)
@dataclass(frozen=True)
class TorchAffine(Mode):
    """Uniform grid with PyTorch's scale and zero point, affine or symmetric as the codes ask.

    Signed codes are those of qint8 and int16, unsigned ones those of quint8 and uint16; other
    numbers of codes are custom ranges of these types.
    """

    eps: float = knob(qparams.EPS, low=2.0**-126, high=1.0, help="smallest scale")

    def accepts(self, target: Target) -> str | None:
        return refusal(target.spec)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        if spec.symmetric:
            zero = storage_zero(spec)
            found = qparams.symmetric(range.lo, range.hi, spec.ends, zero, self.eps)
        else:
            found = qparams.affine(range.lo, range.hi, spec.ends, self.eps)
        return spanning(TorchAffineQuantizer(*found, *spec.ends), range)
