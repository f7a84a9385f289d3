"""TI's PACT2: limits raised to a power of two, and the codes between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.ti.dialect import PACT2
from qviz.dialects.ti.percentile import Ends
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Grads, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

START = 8.0  # clips before the first batch: -8 and 8, or 0 and 8
LEAST = np.float32(2.0**-16)  # of the larger clip, and of the scale
LEAST_SHARE = 0.001  # of a batch in the running clips
MOST_STEPS = 2.0**31


def share(counter: int) -> float:
    """Share of a batch in the clips: 1, 1, 1/2, 1/3 ... but at least 0.001; float64.

    ``counter`` is 0 for the first batch, so the second replaces it.
    """
    return max(1.0 / max(counter, 1), LEAST_SHARE)


def moved(clips: np.ndarray, batch: Ends, counter: int) -> np.ndarray:
    """Clips after one more batch, float32 (2,): clips * (1 - u) + batch * u."""
    u = share(counter)
    return clips * np.float32(1 - u) + np.array(batch, np.float32) * np.float32(u)


def limits(clips: np.ndarray, signed: bool | None, power2: bool) -> np.ndarray:
    """Clipping limits of a layer, float32 (2,): (-m, m), or (0, m) where unsigned.

    ``signed`` None: signed as soon as the lower clip is below 0.
    """
    signed = bool(clips[0] < 0) if signed is None else signed
    m = reach(clips[0], clips[1], signed, power2)
    return np.array([-m if signed else 0, m], np.float32)


def reach(lo: np.ndarray, hi: np.ndarray, signed: bool, power2: bool) -> np.ndarray:
    """Upper limit m of each range, float32 (groups,).

    The larger |end|, of unsigned codes |hi|; at least 2^-16; with ``power2`` raised to a power
    of two.
    """
    m = np.maximum(np.abs(lo), np.abs(hi)) if signed else np.abs(hi)
    record("mirrored", -m if signed else np.zeros_like(m), m)
    m = np.maximum(m, LEAST)
    record("stretched", -m if signed else np.zeros_like(m), m, note="at least 2^-16")
    m = np.exp2(np.ceil(log2(m))) if power2 else m
    record("snapped", -m if signed else np.zeros_like(m), m, note="raised to a power of two")
    return m


def log2(x: np.ndarray | np.float32) -> np.ndarray:
    """Logarithm rounded to float32: one float32 above 64 it is 6."""
    return np.log2(np.float64(x)).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Pact2Quantizer(Quantizer):
    """q = clamp(floor(x * scale + 0.5)), x' = q / scale; float32, zero point 0.

    ``scale`` is steps per unit, (groups,). ``low`` and ``high`` are the clipping limits, inside
    of which, ends included, the gradient passes; the last code lies one step below ``high``.
    """

    formula: ClassVar[str] = "q = clamp(floor(x * scale + 0.5)); x' = q / scale; float32"

    scale: np.ndarray
    low: np.ndarray
    high: np.ndarray
    bits: int
    signed: bool

    @property
    def ends(self) -> tuple[int, int]:
        return QuantSpec(self.bits, self.signed).ends

    @property
    def step(self) -> np.ndarray:
        return np.float32(1) / self.scale

    @property
    def zero_point(self) -> np.ndarray:
        """Code of real 0, (groups,)."""
        return np.zeros(self.scale.shape, np.int64)

    @property
    def arithmetic(self) -> Arithmetic:
        return Arithmetic("up", "float32", self.scale, False)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float32")
        codes = xp.namespace(x).floor(x * xp.like(self.scale, x, "float32") + 0.5)
        return xp.clip(codes, -MOST_STEPS, MOST_STEPS)

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        return xp.div(codes, xp.like(self.scale, codes, "float32"))

    @np.errstate(all="ignore")
    def backward(self, rows: Array, grad: Array) -> Grads:
        x = xp.astype(rows, "float32")
        low, high = (xp.like(end, x, "float32") for end in (self.low, self.high))
        return Grads(xp.namespace(grad).where((x >= low) & (x <= high), grad, 0.0))


@np.errstate(all="ignore")
def pact2_quantizer(m: np.ndarray, bits: int, signed: bool, power2: bool) -> Pact2Quantizer:
    """Qparams of upper limits, float32 (groups,).

    scale = width / m, width = 2^(bits - 1) signed, 2^bits unsigned; at least 2^-16; with
    ``power2`` lowered to a power of two.
    """
    width = np.float32(2 ** (bits - 1) if signed else 2**bits)
    scale = np.maximum(width / m, LEAST)
    scale = np.exp2(np.floor(log2(scale))) if power2 else scale
    return Pact2Quantizer(scale, -m if signed else np.zeros_like(m), m, bits, signed)


@QUANTIZERS.register(
    "ti.pact2",
    title="TI PACT2",
    source=PACT2,
    golden="ti.pact2",
    native=(QuantSpec(8, signed=True),),
)
@dataclass(frozen=True)
class Pact2Mode(Mode):
    """Activation codes of PACT2: zero point 0, limits raised to a power of two."""

    power2_activation_range: bool = knob(True, help="limits and scale are powers of two")

    def accepts(self, target: Target) -> str | None:
        spec = target.spec
        if target.granularity.kind != "per_tensor":
            return "TI's PACT2 is per tensor only"
        if spec.symmetric and not spec.signed:
            return "PACT2's unsigned codes start at real 0: they cannot be symmetric"
        if spec.ends != QuantSpec(spec.bits, spec.signed).ends:
            return "PACT2 uses all codes of its bits"
        return None

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        with np.errstate(all="ignore"):
            lo, hi = range.lo.astype(np.float32), range.hi.astype(np.float32)
            record("range", lo, hi)
            m = reach(lo, hi, spec.signed, self.power2_activation_range)
        if not np.isfinite(m).all():
            raise QvizError(
                f"PACT2's limits of the range {lo.min():g} to {hi.max():g} are not finite.",
                "The next power of two overflows float32.",
                "Choose a narrower range, or power2_activation_range off.",
            )
        return pact2_quantizer(m, spec.bits, spec.signed, self.power2_activation_range)
