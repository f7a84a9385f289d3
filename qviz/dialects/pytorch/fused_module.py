"""PyTorch's fused observer and fake quantization, by its own name: one module, two answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.errors import (
    TorchAssertionError,
    TorchIndexError,
    TorchRuntimeError,
)
from qviz.dialects.pytorch.fused_rule import FusedRule
from qviz.dialects.pytorch.modules import FakeQuantize
from qviz.dialects.pytorch.observers import MovingAverageMinMaxObserver
from qviz.dialects.pytorch.running import NO_DATA, Ends, RunningAverage, ends_of
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.base import Batch
from qviz.xp import Array


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """Moving average, qparams and fake quantization in one. PyTorch: the same name, 2.13.

    ``scale`` and ``zero_point`` follow FusedRule; ``calculate_qparams()`` still answers as the
    observer does: training and export differ.
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__(observer, quant_min, quant_max, **observer_kwargs)
        if not isinstance(self.activation_post_process.rule, RunningAverage):
            raise TorchAssertionError(
                f"{type(self.activation_post_process).__name__} cannot be fused.",
                "",
                "Give one of the two moving averages.",
            )
        symmetric = self.qscheme.endswith("symmetric")
        self.is_symmetric_quant = symmetric
        self.fused_rule = FusedRule((self.quant_min, self.quant_max), symmetric)

    def forward(self, x: Any) -> Array:
        entered = xp.enter(x)
        self._mask = None
        if not xp.size(entered):
            return x
        batch = Batch(entered, self._granularity(entered))
        watching = self.activation_post_process
        if self.is_per_channel and watching.state is NO_DATA:
            lo, hi = (np.repeat(v, batch.shape[0]) for v in (NO_DATA.lo, NO_DATA.hi))
            watching.state = Ends(lo, hi)
        if self.observer_enabled:
            watching.state = _followed(watching.rule, watching.state, _observed(batch))
        watching.remember(x)
        if not self.fake_quant_enabled:
            return x
        scale, zero_point = self.fused_rule.qparams(watching.state.lo, watching.state.hi)
        self._store(scale, zero_point.astype(xp.dtype_name(self.zero_point)), x)
        back, self._mask = self._quantized(x)
        return back

    def _granularity(self, x: Array) -> Granularity:
        rank = len(x.shape)
        if self.ch_axis >= rank:
            raise TorchRuntimeError(f"Axis {self.ch_axis} does not exist in {rank} axes.")
        if not self.is_per_channel:
            return PER_TENSOR
        if rank < 2:
            raise TorchIndexError("A tensor of one axis has no channels.", "", "Reshape it.")
        if self.observer_enabled and self.ch_axis != 0:
            raise TorchRuntimeError(
                f"Channel axis {self.ch_axis} is refused.", "The fused module observes axis 0 only."
            )
        return Granularity("per_channel", self.ch_axis)


def _observed(batch: Batch) -> Ends:
    if xp.dtype_name(batch.x) != "float32":
        raise TorchRuntimeError(
            f"Elements are {xp.dtype_name(batch.x)}.", "Only float32 is observed.", "Convert it."
        )
    return ends_of(batch)


def _followed(rule: RunningAverage, state: Ends, new: Ends) -> Ends:
    """The moving average, where an infinite running value is replaced, end by end."""
    moved = rule.after(state, new)
    lo = np.where(np.isinf(state.lo), new.lo, moved.lo)
    return Ends(lo, np.where(np.isinf(state.hi), new.hi, moved.hi))
