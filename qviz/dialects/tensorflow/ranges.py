"""The range TensorFlow quantizes in, and what its quantize modes cannot serve."""

from __future__ import annotations

import numpy as np

from qviz.dialects.tensorflow.arithmetic import flushed, larger, smaller
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.errors import QvizError
from qviz.knobs import knob
from qviz.quantizers.base import Quantizer, Target, covered
from qviz.quantizers.steps import record
from qviz.spec import QuantSpec, Range

LEAST_RANGE = 0.01  # ensure_minimum_range, tf.quantization.quantize


def minimum_range_knob() -> float:
    """The knob that the three modes share."""
    words = "least width, as a share of the largest end (at least 1)"
    return knob(LEAST_RANGE, low=1e-6, high=2.0, help=words)


@np.errstate(all="ignore")
def adjusted(
    low: np.ndarray, high: np.ndarray, ensure_minimum_range: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The range TensorFlow quantizes in: 0 inside, and not too narrow; float32 (groups,).

    lo = min(0, low), hi = max(0, high, lo + max(1, |low|, |high|) * ensure_minimum_range).

    Raises
    ------
    InvalidArgument
        ``high`` is below ``low``.
    """
    low, high = flushed(np.float32(low)), flushed(np.float32(high))
    record("range", low, high)
    if (high < low).any():
        raise InvalidArgument(
            f"The range ends at {high.min():g}, below its start.",
            "TensorFlow needs min_range <= max_range.",
            "Exchange the ends.",
        )
    nothing, one = np.float32(0), np.float32(1)
    lo = smaller(nothing, low)
    least = flushed(np.float32(ensure_minimum_range))
    margin = flushed(larger(one, larger(np.abs(low), np.abs(high))) * least)
    hi = larger(nothing, larger(high, flushed(lo + margin)))
    record("widened", lo, hi, note=f"until 0 is inside, and at least {float(least):.3g} wide")
    return lo, hi


@np.errstate(over="ignore")
def separated(asked: Range, ensure_minimum_range: float) -> tuple[np.ndarray, np.ndarray]:
    """Both ends as the documentation takes them, float64: as given, but never too near."""
    largest = np.maximum(1.0, np.maximum(np.abs(asked.lo), np.abs(asked.hi)))
    hi = np.maximum(asked.hi, asked.lo + largest * ensure_minimum_range)
    record("widened", asked.lo, hi, note=f"at least {ensure_minimum_range:.3g} wide")
    return asked.lo, hi


def refusal(target: Target, mode: str, narrow: bool = False) -> str | None:
    """Why a mode of quantize cannot serve, or None; ``narrow``: it knows narrow_range."""
    spec = target.spec
    if target.granularity.kind not in ("per_tensor", "per_channel"):
        return "TensorFlow quantizes per tensor, or per slice of one axis"
    if spec.bits not in (8, 16):
        return f"TensorFlow has {mode} for 8 and 16 bits (and 32: too many codes to show)"
    if spec.narrow_range and not narrow:
        return f"{mode} uses all codes of its type: narrow_range is ignored by TensorFlow"
    if spec.ends != QuantSpec(spec.bits, spec.signed, narrow_range=spec.narrow_range).ends:
        return f"{mode} uses all codes of its type"
    return None


@np.errstate(all="ignore")
def finite(made: Quantizer, asked: Range) -> Quantizer:
    """The quantizer, unless its levels overflow.

    Raises
    ------
    QvizError
        The first or the last level is not finite.
    """
    spanned = covered(made)
    if not (np.isfinite(spanned.lo) & np.isfinite(spanned.hi)).all():
        raise QvizError(
            f"The range {asked.lo.min():g} to {asked.hi.max():g} is too wide for TensorFlow.",
            "Its width, or the last level, overflows.",
            "Choose a narrower range.",
        )
    return made
