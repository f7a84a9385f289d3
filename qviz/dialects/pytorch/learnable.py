"""PyTorch's learnable fake quantization: gradients of scale and zero point, and its mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.dialects.pytorch import qparams
from qviz.dialects.pytorch.affine import TorchAffineQuantizer, refusal, spanning
from qviz.dialects.pytorch.channel_quantizer import through_int64
from qviz.dialects.pytorch.contracted import multiply_add
from qviz.dialects.pytorch.dialect import LEARNABLE
from qviz.quantizers.base import QUANTIZERS, Grads, Mode, Quantizer, Target
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class LearnableGradient:
    """The backward pass: float32, the zero point ``z`` (groups,) added before rounding.

    q = rint(x * (1 / scale) + z), rounded once before that. Inside the codes the input's
    gradient is that of the output, and scale gets grad * ((q - z) * scale - x) / scale; outside
    scale gets grad * (end - z) and the zero point -grad * scale. ``grad_factor`` multiplies
    both.
    """

    scale: np.ndarray
    z: np.ndarray
    quant_min: int
    quant_max: int
    grad_factor: float = 1.0

    @np.errstate(all="ignore")
    def terms(self, rows: Array, grad: Array) -> Grads:
        """Gradient of each element: to itself, to its scale and to its zero point."""
        x, grad = xp.astype(rows, "float32"), xp.astype(grad, "float32")
        scale, z = (xp.like(v, x, "float32") for v in (self.scale, self.z))
        inverse = xp.like(np.float32(1) / np.float32(self.scale), x, "float32")
        factor, ns = float(np.float32(self.grad_factor)), xp.namespace(x)
        codes = through_int64(xp.rint(multiply_add(x, inverse, z)))
        below, above = codes < self.quant_min, codes > self.quant_max
        error = grad * multiply_add(codes - z, scale, -x) * inverse * factor
        end = ns.where(below, float(self.quant_min) - z, float(self.quant_max) - z)
        to_scale = ns.where(below | above, grad * end * factor, error)
        to_zero = ns.where(below | above, grad * -1.0 * scale * factor, ns.zeros_like(grad))
        inside = xp.astype(~(below | above), "float32")
        return Grads(grad * inside, {"scale": to_scale, "zero_point": to_zero})


@dataclass(frozen=True, eq=False)
class TorchLearnableQuantizer(TorchAffineQuantizer):
    """Fake quantization with a whole zero point whose backward pass uses another one.

    Forward z = clamp(rint(zero_point)). Backward z = trunc(clamp(zero_point + 0.5)), truncated
    towards 0: -3 becomes -2, and 2.5 is 2 forward but 3 backward.
    """

    real_zero: np.ndarray | None = None

    def backward(self, rows: Array, grad: Array) -> Grads:
        """To the input where the code is inside; to ``scale`` and ``zero_point``: their terms."""
        zero = self.zero_point if self.real_zero is None else self.real_zero
        z = shifted(zero, self.ends)
        found = LearnableGradient(self.scale, z, *self.ends).terms(rows, grad)
        return Grads(xp.astype(found.input, xp.dtype_name(grad)), found.parameters)


def shifted(zero_point: np.ndarray, ends: tuple[int, int]) -> np.ndarray:
    """trunc(clamp(zero_point + 0.5)) in float32: the backward pass's zero point of one scale."""
    half, low, high = (np.float32(v) for v in (0.5, *ends))
    return np.trunc(np.clip(zero_point.astype(np.float32) + half, low, high))


@QUANTIZERS.register(
    "torch.learnable", title="torch Learnable", source=LEARNABLE, golden="learnable_tensor"
)
@dataclass(frozen=True)
class TorchLearnable(Mode):
    """Fake quantization that also learns its scale and zero point.

    Starts from the observers' qparams; symmetric codes have zero point 0 whatever their type, so
    that unsigned ones lose the negative half.
    """

    eps: float = knob(qparams.EPS, low=2.0**-126, high=1.0, help="smallest scale")

    def accepts(self, target: Target) -> str | None:
        low, high = target.spec.ends
        if not low <= 0 <= high:
            return "PyTorch needs 0 among the codes"
        return refusal(target.spec)

    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        if spec.symmetric:
            found = qparams.symmetric(range.lo, range.hi, spec.ends, 0, self.eps)
        else:
            found = qparams.affine(range.lo, range.hi, spec.ends, self.eps)
        return spanning(TorchLearnableQuantizer(*found, *spec.ends), range)
