"""What ONNX Runtime's histogram calibrators share: whom they serve, and what they refuse."""

from __future__ import annotations

import numpy as np

from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.values import OrtHistogram
from qviz.quantizers.base import Target
from qviz.spec import Range

Ends = tuple[np.floating, np.floating]


def refusal(target: Target) -> str | None:
    """Why a histogram calibrator cannot serve, or None."""
    if target.granularity.kind != "per_tensor":
        return "ONNX Runtime's histogram calibrators are per tensor only"
    return None


def usable(state: OrtHistogram) -> np.ndarray:
    """The counts.

    Raises
    ------
    InvalidValue
        Nothing was collected, or ONNX Runtime stops at one of the batches.
    """
    if state.refused:
        do = "Choose another observer, or look at where the tensor comes from."
        raise InvalidValue("ONNX Runtime refuses a batch.", state.refused, do)
    if state.counts is None:
        raise InvalidValue("No histogram has been collected.", "", "Collect at least one batch.")
    return state.counts


def cut(lo: np.floating, hi: np.floating, state: OrtHistogram) -> Ends:
    """Each end moved to the data's own where it lies beyond.

    Of data that stay away from 0 the two may cross, as they do in ONNX Runtime.
    """
    return np.fmax(lo, state.lo), np.fmin(hi, state.hi)


def ordered(lo: np.floating, hi: np.floating) -> Range:
    """The range; where its ends cross, twice the one that counts once it is widened to hold 0."""
    if lo > hi:
        lo = hi = hi if lo > 0 else lo
    return Range(np.asarray(lo), np.asarray(hi))
