"""Extremes as PyTorch's observers keep them: float32, NaN and infinities included."""

from __future__ import annotations

import numpy as np

from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import Range
from qviz.stats.minmax import MinMaxState


def extremes(state: MinMaxState) -> tuple[np.ndarray, np.ndarray]:
    """torch.aminmax of each group cast to float32, (groups,).

    NaN where a group holds one, infinite where it holds an infinity; +inf and -inf for a group
    without elements.
    """
    lo = np.where(state.minus_inf > 0, -np.inf, state.lo)
    hi = np.where(state.plus_inf > 0, np.inf, state.hi)
    with np.errstate(over="ignore"):
        lo, hi = (np.where(state.nan > 0, np.nan, v).astype(np.float32) for v in (lo, hi))
    return lo, hi


def checked(lo: np.ndarray, hi: np.ndarray) -> Range:
    """The range, where PyTorch makes usable qparams of it. Groups without data keep +inf, -inf.

    Raises
    ------
    QvizError
        NaN or infinite ends, or lo above hi.
    """
    unseen = (lo == np.inf) & (hi == -np.inf)
    odd = ~(np.isfinite(lo) & np.isfinite(hi)) & ~unseen
    if odd.any():
        raise QvizError(
            f"{odd.sum()} of {odd.size} ranges are NaN or infinite.",
            "PyTorch's minimum and maximum keep NaN, infinities and what overflows float32.",
            "Remove such elements, or choose another observer.",
        )
    if (crossed := (lo > hi) & ~unseen).any():
        raise QvizError(
            f"{crossed.sum()} of {crossed.size} ranges have their minimum above their maximum.",
            "Rounding in PyTorch's moving average does that to constant batches; "
            "its calculate_qparams then stops with an AssertionError.",
            "Choose another observer or averaging_constant.",
        )
    return Range(lo, hi)


def refusal(target: Target) -> str | None:
    """Why the min-max observers cannot serve, or None; they refuse at construction."""
    spec = target.spec
    if spec.symmetric and spec.reduce_range and not spec.signed:
        return "PyTorch's min-max observers have no symmetric quint8 with reduce_range"
    return None


def only_whole(name: str, target: Target) -> str | None:
    """Why a per-tensor observer cannot serve, or None."""
    if target.granularity.kind != "per_tensor":
        return f"PyTorch's {name} is per tensor only; channels have torch.per_channel_ ones"
    return refusal(target)
