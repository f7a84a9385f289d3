"""What a mode and a quantizer are: one framework's rule, and the qparams it yields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.quantizers.arithmetic import Arithmetic
from qviz.quantizers.steps import Step, worked
from qviz.registry import Registry
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Range
from qviz.xp import Array

QUANTIZERS = Registry("mode", "qviz.quantizers", "qviz.dialects")
MOST_LEVELS = 65_536


@dataclass(frozen=True, eq=False)
class Grads:
    """Gradients of a fake-quantize: to the input, and the terms of each parameter's gradient."""

    input: Array
    parameters: Mapping[str, Array] = field(default_factory=dict)


class Quantizer(ABC):
    """The qparams of one mode, with pure methods on rows (groups, elements).

    Frozen records; fields are NumPy of shape (groups,) and broadcast as a column, so that one
    group's qparams judge many rows, and many candidates judge one row.
    """

    idempotent: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    formula: ClassVar[str] = ""  # encode and dequantize in the rule's own order of operations

    @property
    @abstractmethod
    def ends(self) -> tuple[int, int]:
        """(quant_min, quant_max)."""

    @property
    @abstractmethod
    def step(self) -> np.ndarray | None:
        """Scale (groups,) in input units; None where the grid is not even."""

    @property
    def arithmetic(self) -> Arithmetic | None:
        """How codes are computed: tie rule, type, division; None where it is not declared."""
        return None

    @abstractmethod
    def encode(self, rows: Array) -> Array:
        """Codes before clamping, as whole numbers in the mode's compute dtype."""

    @abstractmethod
    def dequantize(self, codes: Array) -> Array:
        """The reals that codes stand for."""

    def quantize(self, rows: Array) -> Array:
        """Codes; overridden only where a mode wraps instead of saturating."""
        return xp.clip(self.encode(rows), *self.ends)

    @final
    def fake_quantize(self, rows: Array) -> Array:
        """What comes back: dequantize(quantize(rows))."""
        return self.dequantize(self.quantize(rows))

    @final
    def levels(self, first: int | None = None, last: int | None = None) -> np.ndarray:
        """The reals of codes first..last (default: all), (groups, levels), float64.

        Raises
        ------
        QvizError
            More than 65,536 levels.
        """
        low, high = self.ends
        first, last = low if first is None else first, high if last is None else last
        if last - first >= MOST_LEVELS:
            what = f"{last - first + 1:,} levels are too many."
            raise QvizError(what, "At most 65,536 are shown.", "Ask for part of them.")
        codes = np.arange(first, last + 1, dtype=np.float64)[None, :]
        return np.atleast_2d(xp.host(self.dequantize(codes))).astype(np.float64)

    def backward(self, rows: Array, grad: Array) -> Grads:
        """Straight-through: gradient 1 where the code is inside the ends, 0 where it is clipped."""
        codes = self.encode(rows)
        low, high = self.ends
        inside = (codes >= low) & (codes <= high)
        return Grads(grad * xp.astype(inside, xp.dtype_name(grad)))

    def qparams(self) -> dict[str, np.ndarray | None]:
        """``scale`` and ``zero_point`` (groups,) where the mode has them, else None."""
        return {"scale": self.step, "zero_point": getattr(self, "zero_point", None)}


class Mode(ABC):
    """One framework's rule with its options; a frozen dataclass whose fields are knobs."""

    def accepts(self, target: Target) -> str | None:
        """The reason why this mode cannot serve the target, or None."""
        return None

    @abstractmethod
    def quantizer(self, range: Range, spec: QuantSpec) -> Quantizer:
        """Qparams for a clipping range; nudging, epsilon and snapping happen here."""

    @final
    def steps(self, range: Range, spec: QuantSpec) -> tuple[Step, ...]:
        """Named intermediate results for the first group, in the order of ``steps.NAMES``.

        They are the numbers the rule went on with; where it refuses the range, those up to there.
        """
        return worked(self, range, spec).steps


@dataclass(frozen=True)
class Target:
    """What a range is sought for: codes, granularity and mode."""

    spec: QuantSpec
    granularity: Granularity
    mode: Mode

    @staticmethod
    def of(
        spec: QuantSpec | None = None,
        granularity: Granularity = PER_TENSOR,
        mode: Mode | str = "affine",
    ) -> Target:
        """A target from parts; the mode may be spelled."""
        made: Any = QUANTIZERS.make(mode) if isinstance(mode, str) else mode
        return Target(spec or QuantSpec(), granularity, made)


def covered(quantizer: Quantizer) -> Range:
    """The range the grid really spans: its first and last level, (groups,)."""
    low, high = quantizer.ends
    ends = np.concatenate([quantizer.levels(low, low), quantizer.levels(high, high)], axis=1)
    return Range(ends.min(axis=1), ends.max(axis=1))
