"""ONNX Runtime's scale for float8 weights: a spread over the spread of all codes."""

from __future__ import annotations

from functools import cache

import numpy as np

LARGEST = 448.0  # of E4M3FN
BIAS, MANTISSA = 7, 8  # exponent bias; steps of the mantissa


@cache
def e4m3fn() -> np.ndarray:
    """The 254 finite values of E4M3FN in code order, both zeros among them, float32."""
    code = np.arange(128)
    exponent, mantissa = code // MANTISSA, code % MANTISSA
    normal = np.ldexp(1.0 + mantissa / MANTISSA, exponent - BIAS)
    small = np.ldexp(mantissa / MANTISSA, 1 - BIAS)
    values = np.where(exponent > 0, normal, small)[:-1]  # the last code is NaN
    return np.concatenate([values, -values]).astype(np.float32)


def float8_scale(std: np.floating) -> np.floating:
    """``std`` over the population std of the 254 values, in its type."""
    spread = np.std(e4m3fn())
    with np.errstate(all="ignore"):
        return std.dtype.type(std / spread)
