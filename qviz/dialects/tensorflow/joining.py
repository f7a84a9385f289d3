"""quantized_concat as a picture needs it: each input before and after, and the joint range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qviz.dialects.tensorflow.concat import KERNELS, quantized_concat
from qviz.dialects.tensorflow.door import dequantize, quantize
from qviz.dialects.tensorflow.types import TYPES
from qviz.errors import QvizError

CORE = "MIN_FIRST"  # the mode in which the op reads and writes codes
KINDS = tuple(name for name, kind in TYPES.items() if kind.storage in KERNELS)
Ends = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Input:
    """One input of the op: values (n,), their codes under its own range, and under the joint one.

    ``back`` and ``back_after`` are what these codes stand for. ``requantized`` is False where
    the input's range is the joint one: its codes are copied then.
    """

    range: Ends
    values: np.ndarray
    codes: np.ndarray
    codes_after: np.ndarray
    back: np.ndarray
    back_after: np.ndarray
    requantized: bool


@dataclass(frozen=True, eq=False)
class Joined:
    """All inputs, and the range of the output."""

    inputs: tuple[Input, ...]
    range: Ends


def joined(values: Sequence[np.ndarray], ranges: Sequence[Ends], kind: str = "quint8") -> Joined:
    """Quantize each part on its own range (MIN_FIRST), join them, and look at every part again.

    Raises
    ------
    QvizError
        Fewer than two parts, one without elements, a range whose end lies below its start, or a
        type that the op has no kernel for.
    """
    if any(part.size == 0 for part in values):
        what = "An input without elements keeps its range, and the next one is read with it."
        raise QvizError("One of the inputs is empty.", what, "Give each at least one value.")
    made = [
        quantize(part.astype(np.float32), *own, kind, mode=CORE)
        for part, own in zip(values, ranges, strict=True)
    ]
    codes, lows, highs = (list(column) for column in zip(*made, strict=True))
    output, lo, hi = quantized_concat(0, codes, lows, highs)
    cuts = np.cumsum([part.size for part in values])[:-1]
    parts = zip(values, codes, lows, highs, np.split(output, cuts), strict=True)
    inputs = tuple(_input(*part, lo, hi) for part in parts)
    return Joined(inputs, (float(lo), float(hi)))


def _input(
    values: np.ndarray,
    codes: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    after: np.ndarray,
    *joint: np.ndarray,
) -> Input:
    own = float(low), float(high)
    return Input(
        range=own,
        values=values,
        codes=codes,
        codes_after=after,
        back=dequantize(codes, low, high, mode=CORE),
        back_after=dequantize(after, *joint, mode=CORE),
        requantized=own != tuple(float(end) for end in joint),
    )
