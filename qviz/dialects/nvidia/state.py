"""What NVIDIA's calibrators share: whom they serve, what they refuse, and what amax means."""

from __future__ import annotations

import numpy as np

from qviz.dialects.nvidia.errors import FailedRun
from qviz.dialects.nvidia.histogram import NvidiaHistogram
from qviz.quantizers.base import Target
from qviz.spec import Range


def refusal(target: Target) -> str | None:
    """Why the histogram calibrator cannot serve, or None."""
    if target.granularity.kind != "per_tensor":
        return "NVIDIA's histogram calibrator is per tensor only"
    return None


def usable(state: NvidiaHistogram) -> np.ndarray:
    """The counts.

    Raises
    ------
    FailedRun
        Nothing was collected, or the calibrator stops at one of the tensors.
    """
    if state.refused:
        do = "Choose another observer, or look at where the tensor comes from."
        raise FailedRun("NVIDIA's calibrator refuses a batch.", state.refused, do)
    if state.counts is None:
        raise FailedRun("No histogram has been collected.", "", "Collect at least one tensor.")
    return state.counts


def candidates(stop: int, start_bin: int, stride: int) -> np.ndarray:
    """Bins tried: start_bin, start_bin + stride .. below ``stop``.

    Raises
    ------
    FailedRun
        There is none.
    """
    if not 1 <= start_bin < stop or stride < 1:
        raise FailedRun(
            f"No bin from {start_bin} in steps of {stride} can be tried.",
            f"The histogram ends at bin {stop - 1}.",
            "Lower start_bin, or use more bins.",
        )
    return np.arange(start_bin, stop, stride)


def around_zero(amax: np.floating) -> Range:
    """-amax to amax."""
    return Range(np.asarray(-amax), np.asarray(amax))
