"""torchao's fake quantization, and its functions by their own names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.affine import inverted
from qviz.dialects.pytorch.errors import TorchNotImplementedError, TorchTypeError
from qviz.dialects.pytorch.names import handed, name_of
from qviz.dialects.pytorch.torchao_blocks import Blocks, Shape
from qviz.dialects.pytorch.torchao_qparams import FLOAT8, AffineRule, Pair, checked_codes
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.base import Quantizer
from qviz.xp import Array

LARGEST = float(np.finfo(np.float32).max)  # codes are numbers even where x / scale overflows


@dataclass(frozen=True, eq=False)
class TorchAOQuantizer(Quantizer):
    """q = rint(x * (1 / scale)) + zero_point, x' = (clamp(q) - zero_point) * scale; float32.

    NaN stays NaN; +inf gets the highest code.
    """

    formula: ClassVar[str] = (
        "q = clamp(rint(x * (1 / scale)) + zero_point); x' = (q - zero_point) * scale; float32"
    )

    scale: np.ndarray
    zero_point: np.ndarray
    quant_min: float
    quant_max: float

    @property
    def ends(self) -> tuple[int, int]:
        return int(self.quant_min), int(self.quant_max)

    @property
    def step(self) -> np.ndarray:
        return self.scale

    @property
    def arithmetic(self) -> Arithmetic | None:
        return inverted(self.scale, after=self.zero_point)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float32")
        inverse = xp.like(np.float32(1) / np.float32(self.scale), x, "float32")
        codes = xp.rint(x * inverse) + xp.like(self.zero_point, x, "float32")
        return xp.clip(codes, -LARGEST, LARGEST)

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        steps = codes - xp.like(self.zero_point, codes, "float32")
        return steps * xp.like(self.scale, codes, "float32")


@dataclass(frozen=True, eq=False)
class TorchAORealZero(TorchAOQuantizer):
    """q = rint((x - least) / scale), least = zero_point - scale * middle; x' back likewise.

    middle = (quant_max + quant_min + 1) / 2. The domain FLOAT of the pt2e family.
    """

    formula: ClassVar[str] = (
        "q = clamp(rint((x - least) / scale)), least = zero_point - scale * middle; "
        "x' = (q - middle) * scale + zero_point; float32"
    )

    @property
    def arithmetic(self) -> Arithmetic:
        least = self.zero_point - self.scale * self.middle
        return Arithmetic("even", "float32", self.scale, origin=least)

    @property
    def middle(self) -> np.float32:
        """The code that stands for the zero point, half a code included."""
        return np.float32((self.quant_max + self.quant_min + 1) / 2)

    @np.errstate(all="ignore")
    def encode(self, rows: Array) -> Array:
        x = xp.astype(rows, "float32")
        least = xp.like(self.zero_point - self.scale * self.middle, x, "float32")
        return xp.rint(xp.div(x - least, xp.like(self.scale, x, "float32")))

    @np.errstate(all="ignore")
    def dequantize(self, codes: Array) -> Array:
        codes = xp.astype(codes, "float32")
        steps = (codes - float(self.middle)) * xp.like(self.scale, codes, "float32")
        return steps + xp.like(self.zero_point, codes, "float32")


def choose_qparams_affine_with_min_max(  # noqa: PLR0913  torchao's own arguments
    min_val: Any,
    max_val: Any,
    mapping_type: Any,
    block_size: Any,
    target_dtype: Any,
    quant_min: float | None = None,
    quant_max: float | None = None,
    eps: float | None = None,
    scale_dtype: Any = None,
    zero_point_dtype: Any = None,
    preserve_zero: bool = True,
    zero_point_domain: Any = "INT",
    *,
    api: str = "ao",
) -> Pair:
    """Scale and zero point of ranges that are known; see AffineRule. ``block_size`` is unused."""
    ends = checked_codes(target_dtype, quant_min, quant_max)
    domain = name_of(zero_point_domain)
    kinds = (eps, scale_dtype, zero_point_dtype, preserve_zero, domain, api)
    rule = AffineRule(name_of(mapping_type), ends, *kinds)
    lo, hi = (xp.host(xp.enter(v)).astype(np.float32) for v in (min_val, max_val))
    scale, zero = rule.qparams(lo, hi)
    return handed(scale, min_val), zero if zero is None else handed(zero, min_val)


def fake_quantize_affine(  # noqa: PLR0913  torchao's own arguments
    input: Any,
    block_size: Shape,
    scale: Any,
    zero_point: Any,
    quant_dtype: Any,
    quant_min: float | None = None,
    quant_max: float | None = None,
    zero_point_domain: Any = "INT",
) -> Array:
    """Fake quantization by blocks, in the type of ``input``; see TorchAOQuantizer.

    Raises
    ------
    TorchAssertionError, TorchValueError
        Codes or a type that torchao refuses, blocks that do not divide the tensor.
    TorchRuntimeError
        Scales that are not one per block.
    """
    ends = checked_codes(quant_dtype, quant_min, quant_max)
    if name_of(quant_dtype) in FLOAT8:
        raise TorchNotImplementedError("Codes of float8 are no whole numbers.", "", "Choose int8.")
    x = xp.enter(input)
    blocks = Blocks.of(tuple(x.shape), tuple(block_size))
    steps = blocks.column(xp.host(xp.enter(scale)))
    none = zero_point is None or name_of(zero_point_domain) == "NONE"
    zeros = np.zeros(steps.shape) if none else blocks.column(xp.host(xp.enter(zero_point)))
    if not xp.size(x):
        return input
    kind = TorchAORealZero if name_of(zero_point_domain) == "FLOAT" else TorchAOQuantizer
    back = kind(steps.astype(np.float32), zeros.astype(np.float32), *ends).fake_quantize(
        blocks.rows(x)
    )
    back = blocks.restore(back, x)
    return handed(xp.astype(back, xp.dtype_name(x)), input)


def fake_quantize_affine_cachemask(  # noqa: PLR0913  torchao's own arguments
    input: Any,
    block_size: Shape,
    scale: Any,
    zero_point: Any,
    quant_dtype: Any,
    quant_min: float | None = None,
    quant_max: float | None = None,
    zero_point_domain: Any = "INT",
) -> tuple[Array, Array]:
    """The fake-quantized values and a mask that is always true: it is taken after the clamp.

    Raises
    ------
    TorchTypeError
        ``quant_min`` or ``quant_max`` is missing.
    """
    if quant_min is None or quant_max is None:
        raise TorchTypeError("quant_min and quant_max are needed here.", "", "Give both.")
    back = fake_quantize_affine(
        input, block_size, scale, zero_point, quant_dtype, quant_min, quant_max, zero_point_domain
    )
    return back, handed(np.ones(tuple(back.shape), bool), back)
