"""torchao's scale and zero point for a range, in float32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.dialects.pytorch.errors import TorchAssertionError, TorchValueError
from qviz.dialects.pytorch.names import name_of
from qviz.dialects.pytorch.qparams import EPS, INT32_MIN
from qviz.quantizers.steps import record

TINY = 2.0**-126  # the smallest normal float32, torchao.quantization's default eps
FLOAT8 = {
    "float8_e4m3fn": 448.0,
    "float8_e5m2": 57344.0,
    "float8_e4m3fnuz": 240.0,
    "float8_e5m2fnuz": 57344.0,
}
MAPPINGS = ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC")
NUMPY = {"float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64"}
Pair = tuple[np.ndarray, np.ndarray | None]


def bounds(dtype: Any) -> tuple[float, float]:
    """Smallest and largest code of a type: (u)int1 to 7, uint8, int8, int16, int32, float8."""
    name = name_of(dtype).lower()
    if name in FLOAT8:
        return -FLOAT8[name], FLOAT8[name]
    unsigned, digits = name.startswith("u"), name.removeprefix("u").removeprefix("int")
    allowed = ("1", "2", "3", "4", "5", "6", "7", "8") + (() if unsigned else ("16", "32"))
    if name != f"{'u' * unsigned}int{digits}" or digits not in allowed:
        raise TorchValueError(f"{name} is no target type.", "", "Choose int1 to int8, uint4 ...")
    bits = int(digits)
    return (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def checked_codes(
    dtype: Any, quant_min: float | None, quant_max: float | None
) -> tuple[float, float]:
    """Both ends, those of the type where they are not given, each inside the type's own.

    Raises
    ------
    TorchAssertionError
        An end outside the type's codes.
    TorchValueError
        Another type.
    """
    low, high = bounds(dtype)
    first, last = low if quant_min is None else quant_min, high if quant_max is None else quant_max
    if first < low or last > high:
        raise TorchAssertionError(
            f"Codes {first} to {last} are out of bound.",
            f"{name_of(dtype)} holds {low:g} to {high:g}.",
            "Narrow them.",
        )
    return first, last


@dataclass(frozen=True)
class AffineRule:
    """How torchao makes qparams of a range, one rule for both of its families.

    ``torchao.quantization`` ("ao") hands out int32 zero points and has eps 2^-126; its pt2e
    family ("pt2e") float32 ones and 2^-23, and knows zero points that are real numbers.
    """

    mapping: str
    ends: tuple[float, float]
    eps: float | None = None
    scale_dtype: Any = None
    zero_point_dtype: Any = None
    preserve_zero: bool = True
    domain: str = "INT"
    api: str = "ao"

    def qparams(self, lo: np.ndarray, hi: np.ndarray) -> Pair:
        """Scale and zero point in the shape of float32 ``lo`` and ``hi``; None in domain NONE.

        SYMMETRIC: max(-lo, hi) / ((quant_max - quant_min) / 2). SYMMETRIC_NO_CLIPPING_ERR: the
        larger of lo / quant_min and hi / quant_max. ASYMMETRIC: (hi - lo) / (quant_max -
        quant_min), zero_point = clamp(quant_min - rint(lo / scale)). Of the range widened to hold
        0; the scale is raised to eps.
        """
        nothing = np.float32(0)
        with np.errstate(all="ignore"):
            record("range", lo, hi)
            if self._real:
                return self._typed(*self._real_zero(lo, hi))
            n, p = np.minimum(lo, nothing), np.maximum(hi, nothing)
            record("widened", n, p, note="until 0 is inside")
            return self._typed(*self._whole_zero(n, p))

    @property
    def _real(self) -> bool:
        return self.api == "pt2e" and not self.preserve_zero

    def _whole_zero(self, n: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        low, high = self.ends
        if self.mapping == "ASYMMETRIC":
            scale = self._raised((p - n) / np.float32(high - low))
            zero = np.float32(low) - np.rint(n / scale)
            record("raw zero point", low - np.float64(n / scale), dtype="float32")
            record("rounded", zero, note="half to even")
            return scale, np.clip(zero, np.float32(low), np.float32(high))
        if self.api == "pt2e" and self.domain == "FLOAT":
            raise TorchValueError("Symmetric mappings have no real zero point.")
        middle = float(int((high + low + 1) / 2))
        m = np.maximum(-n, p)
        record("mirrored", -m, m)
        if self.mapping == "SYMMETRIC":
            scale = m / np.float32((high - low) / 2)
        else:
            below, above = n / np.float32(low), p / np.float32(high)
            scale = np.where(below > above, below, above)
        return self._raised(scale), np.full(scale.shape, middle, np.float32)

    def _real_zero(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """zero_point = lo + scale * (quant_max + quant_min + 1) / 2, lo itself being a level."""
        if self.mapping != "ASYMMETRIC":
            raise TorchValueError("Symmetric mappings preserve zero.")
        low, high = self.ends
        scale = self._raised((hi - lo) / np.float32(high - low))
        return scale, lo + scale * np.float32((high + low + 1) / 2)

    def _raised(self, scale: np.ndarray) -> np.ndarray:
        own = TINY if self.api == "ao" else EPS
        least = own if self.eps is None else self.eps
        record("scale before floor", scale)
        raised = np.maximum(scale, np.float32(least))
        record("floor", raised, note=f"at least {least:.3g}")
        return raised

    def _typed(self, scale: np.ndarray, zero: np.ndarray) -> Pair:
        scale = scale if self.scale_dtype is None else converted(scale, self.scale_dtype)
        if self.domain == "NONE":
            return scale, None
        kind = self.zero_point_dtype
        if kind is None and self.api == "ao" and self.mapping == "ASYMMETRIC":
            kind = "int32"
        return scale, zero if kind is None else converted(zero, kind)


def converted(values: np.ndarray, dtype: Any) -> np.ndarray:
    """``values`` in another type; what is no int32 becomes -2^31 first, as on x86."""
    name = name_of(dtype)
    if name not in NUMPY:
        raise TorchValueError(f"{name} is no type for qparams here.", "", "Choose float32, int32.")
    if "int" not in name:
        return values.astype(name)
    whole = values.astype(np.float64)
    fits = (whole >= INT32_MIN) & (whole < -INT32_MIN)
    return np.where(fits, whole, INT32_MIN).astype(np.int64).astype(name)
