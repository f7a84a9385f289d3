"""The raw bits of a float, and what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.xp import Array

LAYOUTS = {  # exponent bits, mantissa bits
    "float16": (5, 10),
    "bfloat16": (8, 7),
    "float32": (8, 23),
    "float64": (11, 52),
}
PATTERNS = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64}


@dataclass(frozen=True)
class Bits:
    """A value in its own type: x = (-1)^sign * significand * 2^power.

    ``sign``, ``exponent`` and ``mantissa`` are texts of 0 and 1. ``case`` is ``normal``,
    ``subnormal``, ``zero``, ``infinite`` or ``nan``; the last two have no power.
    """

    kind: str
    sign: str
    exponent: str
    mantissa: str
    case: str
    power: int
    significand: float

    @property
    def text(self) -> str:
        """All bits, the sign first."""
        return self.sign + self.exponent + self.mantissa


def bits_of(value: Array) -> Bits:
    """Bits of one element, an array of one value in its own type.

    Types without a layout of their own here (integers, 8-bit floats) are shown as the float
    type they are counted in.

    Raises
    ------
    QvizError
        There is not exactly one value.
    """
    if xp.size(value) != 1:
        raise QvizError(f"{xp.size(value)} values have no common bits.", "", "Give one value.")
    kind = xp.dtype_name(value)
    if kind not in LAYOUTS:
        value, kind = xp.working(value), xp.working_name(value)
    wide, long = LAYOUTS[kind]
    if kind == "bfloat16":  # the upper half of a float32
        pattern = int(xp.host(xp.working(value)).reshape(1).view(np.uint32)[0]) >> 16
    else:
        pattern = int(xp.host(value).reshape(1).view(PATTERNS[kind])[0])
    text = f"{pattern:0{1 + wide + long}b}"
    return _read(kind, text[0], text[1 : 1 + wide], text[1 + wide :])


def _read(kind: str, sign: str, exponent: str, mantissa: str) -> Bits:
    raw, part = int(exponent, 2), int(mantissa, 2) / 2 ** len(mantissa)
    bias = 2 ** (len(exponent) - 1) - 1
    if raw == 2 ** len(exponent) - 1:
        case = "nan" if part else "infinite"
        return Bits(kind, sign, exponent, mantissa, case, 0, part)
    if raw == 0:
        case = "subnormal" if part else "zero"
        return Bits(kind, sign, exponent, mantissa, case, 1 - bias, part)
    return Bits(kind, sign, exponent, mantissa, "normal", raw - bias, 1 + part)
