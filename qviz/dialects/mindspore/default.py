"""DEFAULT: a uniform grid whose limits are moved so that real 0 is a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.mindspore.dialect import ASCEND, DOCUMENT, GPU
from qviz.dialects.mindspore.reading import Reading, countable
from qviz.dialects.mindspore.readings import KINDS, READINGS
from qviz.dialects.mindspore.targets import BITS, channels_refusal, codes_refusal
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Grads, Mode, Quantizer, Target
from qviz.quantizers.steps import record
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

GOLDEN = "mindspore.FakeQuantWithMinMaxObserver:mode=DEFAULT"
PRECISION = "f32 as MindSpore computes; f64 for study"
TRAINING = "hold 0, as the update in training sees to; off: any range, as in evaluation"


@dataclass(frozen=True, eq=False)
class DefaultQuantizer(Quantizer):
    """q = round((clip(x, u_min, u_max) - u_min) / scale) + quant_min.

    x' = (q - quant_min) * scale + u_min, with u_min = (quant_min - zero_point) * scale and u_max
    likewise. All in the type of ``scale``, float32 unless for study; fields are (groups,).
    """

    formula: ClassVar[str] = (
        "q = round((clip(x, u_min, u_max) - u_min) / scale) + quant_min; "
        "x' = (q - quant_min) * scale + u_min; float32"
    )

    scale: np.ndarray
    zero_point: np.ndarray
    u_min: np.ndarray
    u_max: np.ndarray
    quant_min: int
    quant_max: int
    reading: Reading
    per_channel: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        return self.quant_min, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.scale

    @property
    def arithmetic(self) -> Arithmetic:
        after = np.full(self.scale.shape, self.quant_min)
        tie = self.reading.tie(self.per_channel)
        return Arithmetic(tie, self._kind, self.scale, origin=self.u_min, after=after)

    @np.errstate(all="ignore")
    def quantize(self, rows: Array) -> Array:
        x, low, high = self._beside(rows)
        return self.encode(xp.clip(x, low, high))  # there, too, the limits come first

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x, low, _ = self._beside(rows)
        steps = xp.div(x - low, xp.like(self.scale, x, self._kind))
        whole = self.reading.rounded(steps, self.per_channel)
        return self.reading.filled(countable(whole), 0.0) + self.quant_min

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes, low, _ = self._beside(codes)
        return (codes - self.quant_min) * xp.like(self.scale, codes, self._kind) + low

    @np.errstate(all="ignore")
    def backward(self, rows: Array, grad: Array) -> Grads:
        """To the input where the reading lets it pass; the range has no gradient."""
        passes = self.reading.passes(*self._beside(rows))
        return Grads(xp.namespace(grad).where(passes, grad, 0.0))

    @property
    def _kind(self) -> str:
        return self.scale.dtype.name

    def _beside(self, rows: Array) -> tuple[Array, Array, Array]:
        """Rows in the working type, and the limits as columns beside them."""
        x = xp.astype(rows, self._kind)
        return x, xp.like(self.u_min, x, self._kind), xp.like(self.u_max, x, self._kind)


@np.errstate(all="ignore")
def default_quantizer(
    reading: Reading, lo: np.ndarray, hi: np.ndarray, spec: QuantSpec, per_channel: bool = False
) -> DefaultQuantizer:
    """Qparams of a range, (groups,) of the working type, taken as it is.

    Only ``bits``, ``symmetric`` and ``narrow_range`` of the codes count; the reading says which
    codes they are. An empty range gives NaN, and with the CUDA kernels a scale of 0.
    """
    ends = reading.domain(spec.bits, spec.narrow_range)
    scale, zero = reading.scale_and_zero(lo, hi, ends, spec.symmetric)
    low, high = ((end - zero) * scale for end in ends)
    return DefaultQuantizer(scale, zero, low, high, *ends, reading, per_channel)


def checked_default(
    reading: Reading, range: Range, spec: QuantSpec, precision: str, training: bool
) -> DefaultQuantizer:
    """Qparams of a range, where something can be quantized with them.

    Raises
    ------
    QvizError
        The scale or a limit is NaN or infinite, or (doc, ascend) the scale is 0.
    """
    with np.errstate(all="ignore"):
        lo, hi = range.lo.astype(KINDS[precision]), range.hi.astype(KINDS[precision])
    record("range", lo, hi)
    if training:
        lo, hi = np.minimum(lo, 0), np.maximum(hi, 0)
        record("widened", lo, hi, note="until 0 is inside, as in training")
    made = default_quantizer(reading, lo, hi, spec)
    empty_grid = np.zeros_like(made.scale)[:, None]  # real 0 must have a code: with NaN it has none
    usable = [made.u_min, made.u_max, xp.host(made.encode(empty_grid))]
    if not all(np.isfinite(values).all() for values in usable):
        raise QvizError(
            f"MindSpore gets NaN from the range {range.lo.min():g} to {range.hi.max():g}.",
            "Its width is 0, or overflows.",
            "Choose a wider or narrower range, or mindspore.default@gpu for a width of 0.",
        )
    return made


def default_refusal(reading: Reading, target: Target) -> str | None:
    """Why DEFAULT cannot serve, or None."""
    if target.spec.bits not in BITS:
        return "MindSpore's DEFAULT mode has 4, 7 and 8 bits only"
    return codes_refusal(target.spec) or channels_refusal(reading, target.granularity)


@QUANTIZERS.register(
    "mindspore.default@doc",
    title="MS default doc",
    source=DOCUMENT,
    golden=GOLDEN,
    native=(QuantSpec(8, signed=True),),
)
@dataclass(frozen=True)
class DefaultDoc(Mode):
    """The documented formulas at their word: codes [-2^(b-1), 2^(b-1) - 1] for all types.

    Symmetric codes get a symmetric scale only; the zero point stays that of the range.
    """

    training: bool = knob(True, help=TRAINING)
    precision: str = knob("f32", options=tuple(KINDS), help=PRECISION)

    def accepts(self, target: Target) -> str | None:
        return default_refusal(READINGS["doc"], target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return checked_default(READINGS["doc"], range, spec, self.precision, self.training)


@QUANTIZERS.register("mindspore.default@gpu", title="MS default gpu", source=GPU, golden=GOLDEN)
@dataclass(frozen=True)
class DefaultGpu(Mode):
    """The CUDA kernels: codes [0, 2^b - 1], channels along axis 0; an empty range gives 0."""

    training: bool = knob(True, help=TRAINING)
    precision: str = knob("f32", options=tuple(KINDS), help=PRECISION)

    def accepts(self, target: Target) -> str | None:
        return default_refusal(READINGS["gpu"], target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return checked_default(READINGS["gpu"], range, spec, self.precision, self.training)


@QUANTIZERS.register(
    "mindspore.default@ascend", title="MS default ascend", source=ASCEND, golden=GOLDEN
)
@dataclass(frozen=True)
class DefaultAscend(Mode):
    """The Ascend graphs: codes [0, 2^b - 1]; no gradient at the limits themselves."""

    training: bool = knob(True, help=TRAINING)
    precision: str = knob("f32", options=tuple(KINDS), help=PRECISION)

    def accepts(self, target: Target) -> str | None:
        return default_refusal(READINGS["ascend"], target)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        return checked_default(READINGS["ascend"], range, spec, self.precision, self.training)
