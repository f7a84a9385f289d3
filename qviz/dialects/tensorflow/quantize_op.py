"""QuantizeV2: floats to codes, with the range that was really used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.dialects.tensorflow.bounds import counted, flat, one_per_slice, slices
from qviz.dialects.tensorflow.errors import InvalidArgument, Unimplemented
from qviz.dialects.tensorflow.min_combined import MinCombinedQuantizer
from qviz.dialects.tensorflow.min_first import MinFirstQuantizer
from qviz.dialects.tensorflow.ranges import adjusted
from qviz.dialects.tensorflow.scaled import ROUND_MODES, ScaledQuantizer, spread
from qviz.dialects.tensorflow.tensors import admitted, beside, mapped, numbers
from qviz.dialects.tensorflow.types import QType
from qviz.xp import Array

Grid = MinCombinedQuantizer | MinFirstQuantizer | ScaledQuantizer
MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


def known_mode(mode: str) -> None:
    """Refuse a mode that quantize and dequantize do not have."""
    if mode not in MODES:
        raise InvalidArgument(f"No mode is called {mode!r}.", f"Known: {', '.join(MODES)}.")


def per_tensor_only(mode: str, count: int) -> None:
    """Refuse MIN_FIRST for an axis of more or fewer than one slice."""
    if mode == "MIN_FIRST" and count != 1:
        raise Unimplemented(
            f"MIN_FIRST with an axis of size {count} is not implemented by TensorFlow.",
            "It has one range for the whole tensor.",
            "Leave the axis out, or use another mode.",
        )


@dataclass(frozen=True)
class QuantizeOp:
    """The op with its attributes; ``axis`` is the kernel's: below 0 is the whole tensor."""

    T: QType
    mode: str = "MIN_COMBINED"
    round_mode: str = "HALF_AWAY_FROM_ZERO"
    narrow_range: bool = False
    axis: int = -1
    ensure_minimum_range: float = 0.01

    def __post_init__(self) -> None:
        known_mode(self.mode)
        if self.round_mode not in ROUND_MODES:
            allowed = f"Known: {', '.join(ROUND_MODES)}."
            raise InvalidArgument(f"No round_mode is called {self.round_mode!r}.", allowed)
        if self.round_mode == "HALF_TO_EVEN" and self.mode != "SCALED":
            raise InvalidArgument(f"{self.mode} has no HALF_TO_EVEN.", "Only SCALED has it.")

    def __call__(self, input: Any, min_range: Any, max_range: Any) -> tuple[Array, Array, Array]:
        """Codes in the plain integer type of T, output_min, output_max.

        An axis of size 1 is treated as the whole tensor, and its output range is 0-d.
        """
        x, count = admitted(input), 1
        bounds = numbers(min_range), numbers(max_range)
        if self.axis >= 0:
            count = slices(x, self.axis)
            one_per_slice(bounds, count)
        else:
            counted(bounds, 1)
        per_tensor_only(self.mode, count)
        least = numbers(self.ensure_minimum_range)
        lo, hi = adjusted(*flat(bounds), least)
        grid = self._grid(lo, hi)
        axis = self.axis if count != 1 else -1
        output = mapped(grid.quantize, x, axis, self.T.storage)
        shape = () if count == 1 else (count,)
        lo, hi = (beside(np.reshape(end, shape), x) for end in (grid.lo, grid.hi))
        return output, lo, hi

    def _grid(self, lo: np.ndarray, hi: np.ndarray) -> Grid:
        bits, signed = self.T.bits, self.T.signed
        if self.mode == "MIN_COMBINED":
            return MinCombinedQuantizer(lo, hi, bits, signed)
        if self.mode == "MIN_FIRST":
            return MinFirstQuantizer(lo, hi, bits, signed)
        first, last = self.T.ends
        found = spread(lo, hi, (first + self.narrow_range, last))
        return ScaledQuantizer(*found, bits, signed, self.narrow_range, self.round_mode)
