"""TensorFlow's fake quantization: the range is nudged until real 0 is a level."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.arithmetic import bounded, clipped, edges, flushed, flusher, masked
from qviz.dialects.tensorflow.dialect import FAKE_QUANT
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.nudge import Nudge, nudged
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import QUANTIZERS, Grads, Mode, Quantizer, Target
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array

LEAST_BITS = 2
ONE_PER_CHANNEL = "vars_per_channel"


@dataclass(frozen=True, eq=False)
class FakeQuantQuantizer(Quantizer):
    """q - Z = floor((clip(x, lo, hi) - lo) / scale - offset + 0.5), x' = (q - Z) scale; float32.

    ``low`` and ``high`` (groups,) are the bounds as given, Z the code of 0, and lo, hi the nudged
    ends. NaN stays NaN; a group with the bounds 0 and 0 gives zeros. How the quotient is taken
    differs from op to op, and shows at ties.
    """

    formula: ClassVar[str] = (
        "q - z = floor((clip(x) - lo) / scale - offset + 0.5); x' = (q - z) * scale; float32"
    )

    low: np.ndarray
    high: np.ndarray
    quant_min: int = 0
    quant_max: int = 255

    @property
    def ends(self) -> tuple[int, int]:
        return self.quant_min, self.quant_max

    @property
    def step(self) -> np.ndarray:
        return self.nudge.scale

    @property
    def zero_point(self) -> np.ndarray:
        """The code of real 0."""
        return self.nudge.zero_point

    @cached_property
    def nudge(self) -> Nudge:
        """The range as it is used."""
        return nudged(self.low, self.high, self.ends)

    @property
    @abstractmethod
    def _factor(self) -> tuple[np.ndarray, bool]:
        """What a distance is divided by, or (False) multiplied with."""

    @property
    def arithmetic(self) -> Arithmetic:
        n, how = self.nudge, ("up", "float32", *self._factor)
        return Arithmetic(*how, origin=n.lo, before=-n.offset, after=n.zero_point)

    def _steps(self, distance: Array) -> Array:
        """Steps from the nudged low end."""
        factor, divides = self._factor
        column = xp.like(factor, distance, "float32")
        return xp.div(distance, column) if divides else distance * column

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        return bounded(self._codes(xp.astype(rows, "float32")))

    @np.errstate(all="ignore")
    def quantize(self, rows: Array) -> Array:
        return self._codes(clipped(xp.astype(rows, "float32"), self.nudge.lo, self.nudge.hi))

    def _codes(self, x: Array) -> Array:
        n, ns = self.nudge, xp.namespace(x)
        flush = flusher(n.lo, n.scale, n.inverse)
        steps = self._steps(flush(flush(x) - xp.like(n.lo, x, "float32")))
        zero = xp.like(n.zero_point, x, "float32")
        codes = ns.floor(steps - xp.like(n.offset, x, "float32") + 0.5) + zero
        return ns.where(xp.like(n.nothing, x, "bool"), zero, codes) if n.nothing.any() else codes

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes, n = xp.astype(codes, "float32"), self.nudge
        zero, scale = (xp.like(v, codes, "float32") for v in (n.zero_point, n.scale))
        return (codes - zero) * scale  # a whole step or more: no denormal

    @np.errstate(all="ignore")
    def backward(self, rows: Array, grad: Array) -> Grads:
        """1 from nudged end to nudged end; ``min`` has what is below, ``max`` what is above.

        A group with the bounds 0 and 0 hands its gradient on unchanged, and has no others.
        """
        x, n, ns = xp.astype(rows, "float32"), self.nudge, xp.namespace(rows)
        lo, hi = (xp.like(end, x, "float32") for end in edges(n.lo, n.hi))
        masks = (x >= lo) & (x <= hi), x < lo, x > hi
        sent = flushed(grad)
        kept, below, above = (masked(sent, mask) for mask in masks)
        if n.nothing.any():
            nothing = xp.like(n.nothing, x, "bool")
            kept = ns.where(nothing, grad, kept)
            below, above = (ns.where(nothing, 0.0, part) for part in (below, above))
        return Grads(kept, {"min": below, "max": above})


class ByInverse(FakeQuantQuantizer):
    """args and vars_per_channel: the distance times the inverse."""

    formula: ClassVar[str] = (
        "q - z = floor((clip(x) - lo) * (steps / width) - offset + 0.5); "
        "x' = (q - z) * scale; float32"
    )

    @property
    def _factor(self) -> tuple[np.ndarray, bool]:
        return self.nudge.inverse, False


class ByScale(FakeQuantQuantizer):
    """vars: the distance divided by the step."""

    @property
    def _factor(self) -> tuple[np.ndarray, bool]:
        return self.nudge.scale, True


FORMS = {"args": ByInverse, "vars": ByScale, ONE_PER_CHANNEL: ByInverse}


@QUANTIZERS.register(
    "tf.fake_quant",
    title="TF fake_quant",
    source=FAKE_QUANT,
    golden="fake_quant_vars",
    native=(QuantSpec(8), (QuantSpec(8), {"op": "args"})),
)
@dataclass(frozen=True)
class FakeQuant(Mode):
    """fake_quant_with_min_max_args, _vars and _vars_per_channel, 2 to 16 bits, unsigned codes.

    A range without 0 is moved, not widened.
    """

    op: str = knob("vars", options=tuple(FORMS), help="which of the three ops: ties differ")

    def accepts(self, target: Target) -> str | None:
        kind = target.granularity.kind
        served = "per_channel" if self.op == ONE_PER_CHANNEL else "per_tensor"
        if kind not in ("per_tensor", "per_channel"):
            return "TensorFlow has fake_quant per tensor and per channel"
        if kind != served:
            other = ONE_PER_CHANNEL if kind == "per_channel" else "vars or args"
            return f"op={self.op} has one range {served.replace('_', ' ')}: choose {other}"
        return unsigned_only(target.spec)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        made = FORMS[self.op](np.float32(range.lo), np.float32(range.hi), *spec.ends)
        if self.op == "args":
            in_order(made)
        n = made.nudge
        if not (n.nothing | (np.isfinite(n.inverse) & np.isfinite(n.scale))).all():
            what = f"The range {range.lo.min():g} to {range.hi.max():g} has no step in TensorFlow."
            why = "Its width is 0 or overflows float32, and every value would become NaN."
            raise QvizError(what, why, "Choose another range.")
        return made


def unsigned_only(spec: QuantSpec) -> str | None:
    """Why fake_quant has no such codes, or None."""
    if spec.symmetric or spec.signed:
        return "fake_quant has unsigned codes only, and no symmetric ones"
    if spec.ends != QuantSpec(spec.bits, narrow_range=spec.narrow_range).ends:
        return "fake_quant counts its codes from 0, or from 1 with narrow_range"
    return None if spec.bits >= LEAST_BITS else "TensorFlow has fake_quant for 2 to 16 bits"


def in_order(grid: FakeQuantQuantizer) -> None:
    """Refuse bounds unless min < max, denormals being 0: args needs that, the others do not."""
    low, high = flushed(np.float32(grid.low)), flushed(np.float32(grid.high))
    if not (low < high).all():
        raise InvalidArgument(
            f"The range {low.min():g} to {high.max():g} is no range.",
            "fake_quant_with_min_max_args needs min < max.",
            "Move the ends apart.",
        )
