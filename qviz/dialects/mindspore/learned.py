"""LEARNED_SCALE: a grid that is symmetric about 0 and ends at a trained maximum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.mindspore.default import PRECISION
from qviz.dialects.mindspore.dialect import ASCEND, DOCUMENT, GPU
from qviz.dialects.mindspore.reading import Reading, countable, half_up
from qviz.dialects.mindspore.readings import KINDS, READINGS
from qviz.dialects.mindspore.targets import channels_refusal, codes_refusal
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import MOST_LEVELS, QUANTIZERS, Grads, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

GOLDEN = "mindspore.FakeQuantWithMinMaxObserver:mode=LEARNED_SCALE"
NARROW = (QuantSpec(8, signed=True, symmetric=True, narrow_range=True),)
NEG_TRUNC = "codes from 0 on: what is below 0 becomes 0"


@dataclass(frozen=True, eq=False)
class LearnedQuantizer(Quantizer):
    """q = floor(clip(x / maxq, bound, 1) * quant_max + 0.5), x' = q / quant_max * maxq.

    ``bound`` is -1, or 0 with ``neg_trunc``. All in the type of ``maxq``, (groups,).
    """

    formula: ClassVar[str] = (
        "q = floor(clip(x / maxq, bound, 1) * quant_max + 0.5); x' = q / quant_max * maxq; float32"
    )

    maxq: np.ndarray
    quant_max: int
    neg_trunc: bool
    reading: Reading

    @property
    def ends(self) -> tuple[int, int]:
        return int(self._bound) * self.quant_max, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.reading.divisor(self.maxq) / self.quant_max

    @property
    def arithmetic(self) -> Arithmetic:
        divisor = self.reading.divisor(self.maxq)
        return Arithmetic("up", self._kind, divisor, times=(1.0, float(self.quant_max)))

    @np.errstate(all="ignore")
    def quantize(self, rows: Array) -> Array:
        return self._codes(xp.clip(self._ratio(rows), self._bound, 1.0))

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        return self._codes(self._ratio(rows))

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, self._kind)
        return xp.div(codes, float(self.quant_max)) * self._column(codes)

    @np.errstate(all="ignore")
    def backward(self, rows: Array, grad: Array) -> Grads:
        """To the input where the ratio is between the ends; ``maxq``: the terms of its gradient."""
        ratio, ns = self._ratio(rows), xp.namespace(grad)
        above, below = self.reading.outside(ratio, self._bound)
        quantized = xp.div(self.quantize(rows), float(self.quant_max))
        inner = grad * xp.astype(self.reading.middle(ratio, quantized) - ratio, xp.dtype_name(grad))
        terms = ns.where(above, grad, ns.where(below, -grad, inner))
        return Grads(ns.where(above | below, 0.0, grad), {"maxq": terms})

    @property
    def _kind(self) -> str:
        return self.maxq.dtype.name

    @property
    def _bound(self) -> float:
        return 0.0 if self.neg_trunc else -1.0

    def _column(self, rows: Array) -> Array:
        return xp.like(self.reading.divisor(self.maxq), rows, self._kind)

    def _ratio(self, rows: Array) -> Array:
        x = xp.astype(rows, self._kind)
        return xp.div(x, self._column(x))

    def _codes(self, ratio: Array) -> Array:
        ratio = self.reading.filled(ratio, self._bound)
        return countable(half_up(ratio * self.quant_max))


def checked_learned(
    reading: Reading, range: Range, spec: QuantSpec, precision: str, neg_trunc: bool
) -> LearnedQuantizer:
    """Qparams whose maxq is the larger magnitude of the range (with neg_trunc its upper end).

    Raises
    ------
    QvizError
        That is not above 0, or the steps overflow or vanish.
    """
    top = range.hi if neg_trunc else np.maximum(range.hi, -range.lo)
    with np.errstate(all="ignore"):
        maxq = top.astype(KINDS[precision])
        record("mirrored", maxq * (0 if neg_trunc else -1), maxq, note="maxq")
    made = LearnedQuantizer(maxq, reading.top(spec.bits, neg_trunc), neg_trunc, reading)
    if not (np.isfinite(made.step) & (made.step > 0) & (maxq > 0)).all():
        raise QvizError(
            f"A maxq of {top.min():g} is no scale to learn from.",
            "It must be finite and above 0, and so must one step of it.",
            "Choose another range, or neg_trunc only where there are positive elements.",
        )
    return made


def learned_refusal(reading: Reading, neg_trunc: bool, target: Target) -> str | None:
    """Why LEARNED_SCALE cannot serve, or None."""
    spec = target.spec
    if not spec.symmetric:
        return "MindSpore's LEARNED_SCALE mode needs symmetric codes"
    if spec.narrow_range == neg_trunc:
        return "MindSpore's LEARNED_SCALE mode needs narrow_range, or neg_trunc without it"
    if not 1 <= reading.top(spec.bits, neg_trunc) < MOST_LEVELS:
        return "MindSpore's LEARNED_SCALE mode has no codes above 0 there, or too many to show"
    return codes_refusal(spec) or channels_refusal(reading, target.granularity)


@QUANTIZERS.register(
    "mindspore.learned_scale@doc",
    title="MS learned doc",
    source=DOCUMENT,
    golden=GOLDEN,
    native=NARROW,
)
@dataclass(frozen=True)
class LearnedDoc(Mode):
    """The documented formulas at their word: quant_max 2^b with neg_trunc.

    In the gradient of maxq the ratio is rounded to a whole number of maxq, not of steps.
    """

    neg_trunc: bool = knob(False, help=NEG_TRUNC)
    precision: str = knob("f32", options=tuple(KINDS), help=PRECISION)

    def accepts(self, target: Target) -> str | None:
        return learned_refusal(READINGS["doc"], self.neg_trunc, target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return checked_learned(READINGS["doc"], range, spec, self.precision, self.neg_trunc)


@QUANTIZERS.register(
    "mindspore.learned_scale@gpu", title="MS learned gpu", source=GPU, golden=GOLDEN, native=NARROW
)
@dataclass(frozen=True)
class LearnedGpu(Mode):
    """The CUDA kernels: quant_max 2^b - 1 with neg_trunc, channels along axis 0."""

    neg_trunc: bool = knob(False, help=NEG_TRUNC)
    precision: str = knob("f32", options=tuple(KINDS), help=PRECISION)

    def accepts(self, target: Target) -> str | None:
        return learned_refusal(READINGS["gpu"], self.neg_trunc, target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return checked_learned(READINGS["gpu"], range, spec, self.precision, self.neg_trunc)


@QUANTIZERS.register(
    "mindspore.learned_scale@ascend",
    title="MS learned ascend",
    source=ASCEND,
    golden=GOLDEN,
    native=NARROW,
)
@dataclass(frozen=True)
class LearnedAscend(Mode):
    """The Ascend graphs: quant_max 2^b - 1 with neg_trunc, maxq at least 1e-6."""

    neg_trunc: bool = knob(False, help=NEG_TRUNC)
    precision: str = knob("f32", options=tuple(KINDS), help=PRECISION)

    def accepts(self, target: Target) -> str | None:
        return learned_refusal(READINGS["ascend"], self.neg_trunc, target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return checked_learned(READINGS["ascend"], range, spec, self.precision, self.neg_trunc)
