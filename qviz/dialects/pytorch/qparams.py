"""PyTorch's scale and zero point for a range, in float32."""

from __future__ import annotations

import numpy as np

EPS = 2.0**-23  # torch.finfo(float32).eps, the observers' default
INT32_MIN = -(2**31)  # what x86 makes of NaN, infinities and all else that is no int32


def affine(
    lo: np.ndarray, hi: np.ndarray, ends: tuple[int, int], eps: float = EPS
) -> tuple[np.ndarray, np.ndarray]:
    """Scale and zero point of an asymmetric range.

    scale = (hi - lo) / (quant_max - quant_min), zero_point = quant_min - rint(lo / scale), of the
    range widened to hold 0; the scale is raised to ``eps``, the zero point clamped. (groups,):
    scale float32, NaN for NaN; zero point int64, computed in int32 that wraps.
    """
    low, high = ends
    with np.errstate(all="ignore"):
        n, p = _around_zero(lo, hi)
        scale = np.maximum((p - n) / np.float32(high - low), np.float32(eps))
        whole = np.rint(n / scale).astype(np.float64)
        fits = (whole >= INT32_MIN) & (whole < -INT32_MIN)
    zero = low - np.where(fits, whole, INT32_MIN).astype(np.int64)
    zero = (zero - INT32_MIN) % 2**32 + INT32_MIN
    return scale, np.clip(zero, low, high)


def symmetric(
    lo: np.ndarray, hi: np.ndarray, ends: tuple[int, int], zero: int, eps: float = EPS
) -> tuple[np.ndarray, np.ndarray]:
    """Scale and zero point of a symmetric range.

    scale = max(-lo, hi) / ((quant_max - quant_min) / 2), raised to ``eps``; (groups,), float32.
    ``zero`` is the storage type's zero point, which need not be one of the codes.
    """
    low, high = ends
    with np.errstate(all="ignore"):
        n, p = _around_zero(lo, hi)
        scale = np.maximum(np.maximum(-n, p) / np.float32((high - low) / 2), np.float32(eps))
    return scale, np.full(scale.shape, zero, np.int64)


def _around_zero(lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nothing = np.float32(0)
    return np.minimum(np.float32(lo), nothing), np.maximum(np.float32(hi), nothing)


def float_qparams(
    lo: np.ndarray, hi: np.ndarray, ends: tuple[int, int], eps: float = EPS
) -> tuple[np.ndarray, np.ndarray]:
    """Scale and a zero point that is a real number, so that lo itself is a level.

    scale = (hi - lo) / (quant_max - quant_min), 1 where that is not above ``eps``; zero_point =
    -lo / scale, neither rounded nor clamped. Both float32 (groups,). Real 0 need not be a level.
    """
    with np.errstate(all="ignore"):
        lo, hi = lo.astype(np.float32), hi.astype(np.float32)
        scale = (hi - lo) / np.float32(ends[1] - ends[0])
        scale = np.where(scale > np.float32(eps), scale, np.float32(1))
        return scale, np.float32(-1) * lo / scale
