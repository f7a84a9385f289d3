"""NVIDIA's histogram calibrator under its own name, over the same records."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.nvidia.entropy import NvidiaEntropy
from qviz.dialects.nvidia.errors import FailedRun, InvalidType, InvalidValue, NotOffered
from qviz.dialects.nvidia.histogram import NvidiaHistogram, NvidiaMagnitudes
from qviz.dialects.nvidia.mse import NvidiaMse, NvidiaMseReleased
from qviz.dialects.nvidia.percentile import NvidiaPercentile
from qviz.stats.base import Batch
from qviz.xp import Array

__all__ = ["FailedRun", "HistogramCalibrator", "InvalidType", "InvalidValue", "NotOffered"]


class HistogramCalibrator:
    """Collects magnitudes; ``compute_amax`` then calibrates by entropy, percentile or MSE.

    ``num_bits`` and ``unsigned`` say how many codes there are. ``grow_method`` is not looked at.

    Raises
    ------
    NotOffered
        An axis; ``torch_hist`` off.
    """

    def __init__(
        self,
        num_bits: int = 8,
        axis: Any = None,
        unsigned: bool = False,
        num_bins: int = 2048,
        grow_method: str | None = None,
        skip_zeros: bool = False,
        torch_hist: bool = True,
    ) -> None:
        if axis is not None:
            raise NotOffered("Histograms are collected per tensor only.", "", "Leave axis None.")
        if not torch_hist:
            raise NotOffered("Only the histogram of PyTorch is offered.", "", "Use torch_hist.")
        self._bits, self._unsigned = num_bits, unsigned
        self._shape = {"num_bins": num_bins, "skip_zeros": skip_zeros}
        self._rule = NvidiaMagnitudes(num_bins, skip_zeros)
        self.reset()

    def reset(self) -> None:
        """Forget what was collected."""
        self._state: NvidiaHistogram = self._rule.start()
        self._model: Array = np.zeros(0)

    def collect(self, x: Any) -> None:
        """Count one tensor.

        Raises
        ------
        FailedRun
            An empty tensor, NaN or infinities.
        """
        state = self._rule.step(self._state, Batch(xp.enter(x)))
        if state.refused:
            raise FailedRun("The tensor cannot be collected.", state.refused)
        self._state = state
        self._model = x.reshape(-1)[:0] if hasattr(x, "reshape") else self._model

    def compute_amax(
        self,
        method: str,
        *,
        stride: int = 1,
        start_bin: int = 128,
        percentile: float = 99.99,
        reading: str = "released",
    ) -> Any:
        """The threshold, a float32 of the kind that was collected; None before any data.

        ``reading`` concerns ``mse`` alone: ``released`` gives what the package returns,
        ``intended`` the search that is meant.

        Raises
        ------
        InvalidType
            Another method, or reading.
        """
        grid = {"start_bin": start_bin, "stride": stride, "unsigned": self._unsigned}
        known: dict[tuple[str, str], Any] = {
            ("entropy", ""): NvidiaEntropy(**grid, **self._shape),
            ("mse", "released"): NvidiaMseReleased(**grid, **self._shape),
            ("mse", "intended"): NvidiaMse(**grid, **self._shape),
            ("percentile", ""): NvidiaPercentile(percentile, **self._shape),
        }
        asked = (method, reading if method == "mse" else "")
        if asked not in known:
            raise InvalidType(f"No method is called {method!r} ({reading}).", "See compute_amax.")
        if self._state.counts is None:
            return None
        bits = () if method == "percentile" else (self._bits,)
        amax = known[asked].amax(self._state, *bits)
        ns = xp.namespace(self._model)
        return np.asarray(amax) if ns is np else ns.tensor(amax.item(), dtype=ns.float32)
