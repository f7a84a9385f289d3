"""TensorFlow's quantize_and_dequantize: a grid symmetric about 0, in float32 or float64."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.arithmetic import (
    bounded,
    edges,
    flushed,
    flusher,
    larger,
    masked,
    round_up,
    smaller,
)
from qviz.dialects.tensorflow.dialect import ROUND_TRIP
from qviz.dialects.tensorflow.ranges import finite
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Grads, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

ROUND_MODES = {"HALF_TO_EVEN": xp.rint, "HALF_UP": round_up}


def code_ends(num_bits: int, signed: bool, narrow_range: bool) -> tuple[int, int]:
    """Smallest and largest code; unsigned ones ignore narrow_range."""
    if signed:
        return -(2 ** (num_bits - 1)) + narrow_range, 2 ** (num_bits - 1) - 1
    return 0, 2**num_bits - 1


@dataclass(frozen=True, eq=False)
class RoundTripQuantizer(Quantizer):
    """q = round(clip(x, lo', hi') s), x' = q inverse; all in the type of ``low`` and ``high``.

    These are the bounds as given, (groups,). s = min(first / low, last / high), a side without a
    quotient above 0 being the largest float; inverse = low / first or high / last, divided on its
    own; the other end follows from it. -0 survives half to even. NaN stays NaN. The gradient is 1
    everywhere. Unsigned codes with ``high`` below 0 give garbage, as in TensorFlow.
    """

    formula: ClassVar[str] = (
        "q = round(clip(x, lo, hi) * s), s = code / bound; x' = q * (bound / code); "
        "in the type of the input"
    )

    low: np.ndarray
    high: np.ndarray
    quant_min: int = -128
    quant_max: int = 127
    round_mode: str = "HALF_TO_EVEN"

    @property
    def ends(self) -> tuple[int, int]:
        return self.quant_min, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.terms[1]

    @property
    def arithmetic(self) -> Arithmetic:
        tie = {"HALF_TO_EVEN": "even", "HALF_UP": "up"}[self.round_mode]
        return Arithmetic(tie, self._kind, self.terms[0], False)

    @cached_property
    def terms(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """s, inverse, and the range the grid spans: lo', hi'."""
        return terms(flushed(self.low), flushed(self.high), self.ends)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        return bounded(self.rounded(rows))

    @np.errstate(all="ignore")
    def rounded(self, rows: Array) -> Array:
        """round(x s), which may overflow: a range of [0, 0] has the largest float as s."""
        scale, kind = self.terms[0], self._kind
        x, flush = xp.astype(rows, kind), flusher(scale)
        return ROUND_MODES[self.round_mode](flush(flush(x) * xp.like(scale, x, kind)))

    @np.errstate(all="ignore")
    def quantize(self, rows: Array) -> Array:
        kind, lo, hi = self._kind, *self.terms[2:]
        x = xp.astype(rows, kind)
        if (lo == 0).any() or (hi == 0).any():  # where the sign of a denormal can show
            x = flushed(x)
        return self.rounded(larger(smaller(x, xp.like(hi, x, kind)), xp.like(lo, x, kind)))

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, self._kind)
        return codes * xp.like(self.step, codes, self._kind)  # a whole step or more: no denormal

    def backward(self, rows: Array, grad: Array) -> Grads:
        """V2 and V3: straight through, inside the range and outside."""
        return Grads(grad)

    @property
    def _kind(self) -> str:
        return xp.dtype_name(self.low)


class MaskedRoundTrip(RoundTripQuantizer):
    """V4: gradient 1 inside the bounds as given, not as the grid spans them; 0 outside."""

    @np.errstate(all="ignore")
    def backward(self, rows: Array, grad: Array) -> Grads:
        x = xp.astype(rows, self._kind)
        lo, hi = (xp.like(v, x, self._kind) for v in edges(flushed(self.low), flushed(self.high)))
        return Grads(masked(flushed(grad), (x >= lo) & (x <= hi)))


@np.errstate(all="ignore")
def terms(
    lo: np.ndarray, hi: np.ndarray, ends: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """s, inverse, lo', hi' for flushed bounds; see RoundTripQuantizer."""
    kind = lo.dtype.type
    first, last, most = kind(ends[0]), kind(ends[1]), np.finfo(kind).max
    down = np.where(flushed(first * lo) > 0, flushed(first / lo), most)
    up = np.where(flushed(last * hi) > 0, flushed(last / hi), most)
    by_low = down < up
    inverse = np.where(by_low, flushed(lo / first), flushed(hi / last))
    lower = np.where(by_low, lo, flushed(first * inverse))
    upper = np.where(by_low, flushed(last * inverse), hi)
    record("range", lo, hi)
    record("mirrored", lower, upper, note="what the codes reach at the larger of the two steps")
    record("scale", inverse, note="the deciding end over its code")
    return np.where(by_low, down, up), inverse, lower, upper


VERSIONS = {"V2": RoundTripQuantizer, "V3": RoundTripQuantizer, "V4": MaskedRoundTrip}


@QUANTIZERS.register(
    "tf.quantize_and_dequantize",
    title="TF QDQ",
    source=ROUND_TRIP,
    golden="quantize_and_dequantize_v2",
    native=(
        QuantSpec(8, signed=True, symmetric=True),
        (QuantSpec(8, signed=True, symmetric=True), {"round_mode": "HALF_UP"}),
    ),
)
@dataclass(frozen=True)
class RoundTrip(Mode):
    """quantize_and_dequantize with a given range, 1 to 16 bits; no zero point.

    V2 and V4 have one range for the tensor, V3 also one per slice of an axis. V4 stops gradients
    outside the range.
    """

    version: str = knob("V2", options=tuple(VERSIONS), help="which of the three ops")
    round_mode: str = knob("HALF_TO_EVEN", options=tuple(ROUND_MODES), help="where a tie goes")
    T: str = knob("float32", options=("float32", "float64"), help="type of the input")

    def accepts(self, target: Target) -> str | None:
        spec, kind = target.spec, target.granularity.kind
        if spec.ends != code_ends(spec.bits, spec.signed, spec.narrow_range):
            return "quantize_and_dequantize uses all codes of its bits; narrow_range if signed"
        if spec.symmetric and not spec.signed:
            return "quantize_and_dequantize is symmetric with signed codes only"
        if self.version == "V3" and self.round_mode != "HALF_TO_EVEN":
            return "V3 rounds half to even only"
        if kind == "per_tensor" or (kind == "per_channel" and self.version == "V3"):
            return None
        return "V2 and V4 take one range for the tensor; V3 also one per channel"

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        with np.errstate(all="ignore"):
            bounds = range.lo.astype(self.T), range.hi.astype(self.T)
        made = VERSIONS[self.version](*bounds, *spec.ends, self.round_mode)
        if (made.step < 0).any():
            raise QvizError(
                f"The range ends at {range.hi.min():g}, below 0, and the codes are unsigned.",
                "TensorFlow's step is negative there, and nothing sensible comes out.",
                "Use signed codes.",
            )
        return finite(made, range)
