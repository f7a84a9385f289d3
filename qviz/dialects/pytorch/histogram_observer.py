"""PyTorch's HistogramObserver by its own name."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.errors import (
    TorchNotImplementedError,
    TorchRuntimeError,
    TorchTypeError,
)
from qviz.dialects.pytorch.histogram_search import search
from qviz.dialects.pytorch.histogram_state import TorchHistogram
from qviz.dialects.pytorch.names import PER_TENSOR, STORAGE
from qviz.dialects.pytorch.observers import AFFINE, QUINT8, UniformQuantizationObserverBase
from qviz.dialects.pytorch.qparams import EPS
from qviz.dialects.pytorch.settings import check_scheme, check_static, resolved
from qviz.stats.base import Batch
from qviz.xp import Array


class HistogramObserver(UniformQuantizationObserverBase):
    """A growing histogram, and the range with the least estimated squared error.

    PyTorch: HistogramObserver. Infinite elements are dropped; NaN is refused and leaves the state
    as it was, but as first data it makes every later batch refused too.
    """

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
        bins: int = 2048,
        dtype: Any = QUINT8,
        qscheme: Any = AFFINE,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        check_scheme("HistogramObserver", qscheme, PER_TENSOR)
        check_static("HistogramObserver", is_dynamic)
        settings = resolved(dtype, qscheme, reduce_range, quant_min, quant_max, eps)
        super().__init__(settings, is_dynamic, kwargs)
        if not STORAGE[settings.dtype].bits:
            raise TorchTypeError(
                f"HistogramObserver has no grid for {settings.dtype}.",
                "Its search counts the codes of an integer type.",
                "Choose such a type.",
            )
        if bins < 1:
            raise TorchRuntimeError(f"{bins} bins are too few.", "", "Use 1 or more.")
        self.bins, self.upsample_rate = bins, 16
        self.dst_nbins = 2 ** STORAGE[settings.dtype].bits
        self.rule = TorchHistogram(bins)
        self.state = self.rule.start()

    @property
    def histogram(self) -> Array:
        """Counts, float32 (bins,)."""
        return self._answer(self.state.histogram)

    @property
    def min_val(self) -> Array:
        """Lower end of the first bin, 0-d."""
        return self._answer(np.asarray(self.state.min))

    @property
    def max_val(self) -> Array:
        """Upper end of the last bin, 0-d."""
        return self._answer(np.asarray(self.state.max))

    def forward(self, x_orig: Any) -> Any:
        x = xp.enter(x_orig)
        self.remember(x_orig)
        if not xp.size(x):
            return x_orig
        if "float" not in xp.dtype_name(x):
            raise TorchNotImplementedError(
                f"A histogram of {xp.dtype_name(x)} is not offered.", "", "Convert to float32."
            )
        before, self.state = self.state.refused, self.rule.step(self.state, Batch(x))
        if self.state.refused > before:
            raise TorchRuntimeError(
                "This batch has no histogram.",
                "It holds NaN, or the range is not finite.",
                "Remove such elements.",
            )
        return x_orig

    def calculate_qparams(self) -> tuple[Array, Array]:
        state, (lo, hi) = self.state, (self.state.min, self.state.max)
        if not (lo == np.inf and hi == -np.inf):
            walk = search(state.histogram, state.min, state.max, self.dst_nbins)
            lo, hi = walk.lo, walk.hi
        scale, zero_point = self.settings.qparams(np.asarray(lo), np.asarray(hi))
        return self._answer(scale), self._answer(zero_point)

    def reset_min_max_vals(self) -> None:
        raise TorchNotImplementedError(
            "HistogramObserver cannot be reset.", "", "Make another instance."
        )
