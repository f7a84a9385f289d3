"""ONNX Runtime's range to scale and zero point, and QuantizeLinear with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.onnxruntime.dialect import QPARAMS
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

NARROW = QuantSpec(8, signed=True, symmetric=True, narrow_range=True)
TINY = 2.0**-126  # smallest normal float32: below it the scale becomes 1
CLAMP = "to the codes that made the scale, or as QuantizeLinear to all codes of their type"


@np.errstate(over="ignore", under="ignore")
def scale_and_zero(
    lo: np.ndarray, hi: np.ndarray, ends: tuple[int, int], symmetric: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Scale, in the type of the ends, and zero point, int64, of float32 or float16 ranges.

    The range is stretched to hold 0, symmetric ones to [-m, m]; scale = (hi - lo) /
    (quant_max - quant_min) in float64, zero point = half-even round(quant_min - lo / scale),
    symmetric: round((quant_min + quant_max) / 2). A scale below 2^-126 becomes 1, its zero point
    0 (of float16: one that rounds to 0). Only then is the scale rounded to the ends' type.
    """
    (low, high), kind = ends, lo.dtype.type
    record("range", lo, hi)
    lo, hi = np.minimum(lo, kind(0)), np.maximum(hi, kind(0))
    record("widened", lo, hi, note="until 0 is inside")
    if symmetric:
        hi = np.maximum(-lo, hi)
        lo = -hi
        record("mirrored", lo, hi)
    scale = (hi.astype(np.float64) - lo.astype(np.float64)) / (high - low)
    small = scale.astype(kind) == 0 if kind is np.float16 else scale < TINY
    record("scale before floor", scale, note=f"width over {high - low}")
    scale = np.where(small, 1.0, scale)
    record("floor", scale, note="1 below 2^-126")
    raw = np.full(scale.shape, (low + high) / 2) if symmetric else low - lo / scale
    zero = np.rint(raw)
    record("raw zero point", raw, note="the middle of the codes" if symmetric else "in float64")
    record("rounded", zero, note="half to even")
    return scale.astype(kind), np.where(small, 0, zero).astype(np.int64)


@dataclass(frozen=True, eq=False)
class OrtAffineQuantizer(Quantizer):
    """q = clamp(rint(x / scale) + zero_point), x' = (q - zero_point) * scale; float32.

    float64 rows are read as float32.
    """

    formula: ClassVar[str] = (
        "q = clamp(rint(x / scale) + zero_point); x' = (q - zero_point) * scale; float32"
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
        return Arithmetic("even", "float32", self.scale, after=self.zero_point)

    @np.errstate(over="ignore", invalid="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float32")
        codes = xp.rint(xp.div(x, xp.like(self.scale, x, "float32")))
        return codes + xp.like(self.zero_point, x, "float32")

    @np.errstate(over="ignore", invalid="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        zero = xp.like(self.zero_point, codes, "float32")
        return (codes - zero) * xp.like(self.scale, codes, "float32")


@QUANTIZERS.register(
    "ort.affine",
    title="ORT Affine",
    source=QPARAMS,
    golden="own",
    native=(QuantSpec(8), NARROW, (NARROW, {"clamp": "type"})),
)
@dataclass(frozen=True)
class OrtAffine(Mode):
    """Uniform grid with ONNX Runtime's scale and zero point, affine or symmetric as asked.

    Differs: the scale is made in float64 and rounded to float32 after the zero point. For
    symmetric int8 weights ONNX Runtime takes the codes -127 to 127, for reduced int8 -64 to 64:
    ask for narrow_range, or for these codes. Its scale is then that of -127 to 127, but
    QuantizeLinear, as it quantizes activations, clamps to all codes of the type.
    """

    clamp: str = knob("codes", options=("codes", "type"), help=CLAMP)

    def accepts(self, target: Target) -> str | None:
        low, high = target.spec.ends
        return None if low <= 0 <= high else "ONNX Runtime needs 0 among the codes"

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        with np.errstate(over="ignore"):
            lo, hi = (np.asarray(end, np.float32) for end in (range.lo, range.hi))
        if np.isnan([lo, hi]).any():
            what = f"A range from {range.lo.min():g} to {range.hi.max():g} has no scale."
            raise InvalidValue(what, "An end is NaN.", "Choose another.")
        ends = spec.ends if self.clamp == "codes" else QuantSpec(spec.bits, spec.signed).ends
        made = OrtAffineQuantizer(*scale_and_zero(lo, hi, spec.ends, spec.symmetric), *ends)
        with np.errstate(all="ignore"):
            levels = made.dequantize(np.array([ends], np.float64))
        if not np.isfinite(levels).all():
            raise InvalidValue(
                f"The range {range.lo.min():g} to {range.hi.max():g} is too wide: it has no scale.",
                "The scale, or the last level, overflows float32.",
                "Choose a narrower range.",
            )
        return made
