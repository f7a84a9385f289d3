"""PyTorch's scale and zero point for a range, in float32."""

from __future__ import annotations

import numpy as np

from qviz.quantizers.steps import record

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
        scale = _raised((p - n) / np.float32(high - low), eps, f"width over {high - low}")
        record("raw zero point", low - np.float64(n / scale), dtype="float32")
        whole = np.rint(n / scale).astype(np.float64)
        fits = (whole >= INT32_MIN) & (whole < -INT32_MIN)
    zero = low - np.where(fits, whole, INT32_MIN).astype(np.int64)
    zero = (zero - INT32_MIN) % 2**32 + INT32_MIN
    record("rounded", zero, note="half to even")
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
        m, half = np.maximum(-n, p), (high - low) / 2
        record("mirrored", -m, m)
        scale = _raised(m / np.float32(half), eps, f"largest magnitude over {half:g}")
    return scale, np.full(scale.shape, zero, np.int64)


def _around_zero(lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nothing = np.float32(0)
    record("range", np.float32(lo), np.float32(hi))
    n, p = np.minimum(np.float32(lo), nothing), np.maximum(np.float32(hi), nothing)
    record("widened", n, p, note="until 0 is inside")
    return n, p


def _raised(scale: np.ndarray, eps: float, note: str) -> np.ndarray:
    record("scale before floor", scale, note=note)
    raised = np.maximum(scale, np.float32(eps))
    record("floor", raised, note=f"at least {eps:.3g}")
    return raised


def float_qparams(
    lo: np.ndarray, hi: np.ndarray, ends: tuple[int, int], eps: float = EPS
) -> tuple[np.ndarray, np.ndarray]:
    """Scale and a zero point that is a real number, so that lo itself is a level.

    scale = (hi - lo) / (quant_max - quant_min), 1 where that is not above ``eps``; zero_point =
    -lo / scale, neither rounded nor clamped. Both float32 (groups,). Real 0 need not be a level.
    """
    with np.errstate(all="ignore"):
        lo, hi = lo.astype(np.float32), hi.astype(np.float32)
        record("range", lo, hi)
        scale = (hi - lo) / np.float32(ends[1] - ends[0])
        record("scale before floor", scale, note=f"width over {ends[1] - ends[0]}")
        scale = np.where(scale > np.float32(eps), scale, np.float32(1))
        record("floor", scale, note=f"1 unless above {eps:.3g}")
        record("raw zero point", np.float32(-1) * lo / scale)
        return scale, np.float32(-1) * lo / scale
