"""PyTorch's per-channel observers by their own names."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz.dialects.pytorch.errors import TorchIndexError
from qviz.dialects.pytorch.names import PER_CHANNEL
from qviz.dialects.pytorch.observers import CHANNEL_AFFINE, QUINT8, ExtremesObserver
from qviz.dialects.pytorch.qparams import EPS
from qviz.dialects.pytorch.running import NO_DATA, RunningAverage
from qviz.dialects.pytorch.settings import Settings, check_scheme, check_static, resolved
from qviz.spec import Granularity
from qviz.xp import Array


class _PerChannel(ExtremesObserver):
    """State per channel; a batch of one channel, or a state of one, serves all channels."""

    def __init__(self, settings: Settings, ch_axis: int, extra: dict[str, Any]) -> None:
        super().__init__(settings, False, extra)
        self.ch_axis = ch_axis

    def _granularity(self, x: Array) -> Granularity:
        rank = len(x.shape)
        if rank < 2 or not -rank <= self.ch_axis < rank:
            raise TorchIndexError(
                f"Channel axis {self.ch_axis} of a tensor of shape {tuple(x.shape)} is refused.",
                "Two axes or more are needed, the channel axis among them.",
                "Choose another ch_axis, or reshape.",
            )
        return Granularity("per_channel", self.ch_axis)

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return values[:0] if self.state is NO_DATA else values


class PerChannelMinMaxObserver(_PerChannel):
    """Smallest and largest element of each channel. PyTorch: PerChannelMinMaxObserver."""

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
        ch_axis: int = 0,
        dtype: Any = QUINT8,
        qscheme: Any = CHANNEL_AFFINE,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        check_scheme("PerChannelMinMaxObserver", qscheme, PER_CHANNEL)
        check_static("PerChannelMinMaxObserver", is_dynamic)
        settings = resolved(dtype, qscheme, reduce_range, quant_min, quant_max, eps)
        super().__init__(settings, ch_axis, kwargs)


class MovingAveragePerChannelMinMaxObserver(_PerChannel):
    """Averaged extremes of each channel. PyTorch: MovingAveragePerChannelMinMaxObserver."""

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
        averaging_constant: float = 0.01,
        ch_axis: int = 0,
        dtype: Any = QUINT8,
        qscheme: Any = CHANNEL_AFFINE,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        check_scheme("MovingAveragePerChannelMinMaxObserver", qscheme, PER_CHANNEL)
        check_static("MovingAveragePerChannelMinMaxObserver", is_dynamic)
        settings = resolved(dtype, qscheme, reduce_range, quant_min, quant_max, eps)
        super().__init__(settings, ch_axis, kwargs)
        self.averaging_constant = averaging_constant
        self.rule = RunningAverage(averaging_constant)
