"""PyTorch's observers by their own names: classes that keep running state by their rules.

They take NumPy arrays or torch tensors; ``calculate_qparams``, ``min_val`` and the like answer in
the kind seen last. State is kept in float32 whatever ``factory_kwargs`` say. Where PyTorch warns
that no data was seen, the answer alone says so: scale 1, zero point 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.errors import TorchRuntimeError, TorchTypeError
from qviz.dialects.pytorch.names import PER_TENSOR, alike, name_of
from qviz.dialects.pytorch.qparams import EPS
from qviz.dialects.pytorch.running import RunningAverage, RunningMinMax
from qviz.dialects.pytorch.settings import (
    Settings,
    check_reduced,
    check_scheme,
    check_static,
    resolved,
)
from qviz.dialects.pytorch.with_args import Configurable
from qviz.spec import PER_TENSOR as WHOLE
from qviz.spec import Granularity
from qviz.stats.base import Batch
from qviz.xp import Array

QUINT8, AFFINE, CHANNEL_AFFINE = "quint8", "per_tensor_affine", "per_channel_affine"


class ObserverBase(Configurable):
    """What all observers share: a type, ``forward``, and the kind of array seen last."""

    def __init__(self, dtype: Any, is_dynamic: bool = False) -> None:
        self.dtype, self.is_dynamic = name_of(dtype), is_dynamic
        self._seen: Array = np.empty(0)

    def forward(self, x_orig: Any) -> Any:
        """Record the batch, and return it."""
        return x_orig

    def __call__(self, x_orig: Any) -> Any:
        return self.forward(x_orig)

    def calculate_qparams(self) -> tuple[Array, Array]:
        """(scale, zero_point)."""
        raise NotImplementedError

    def remember(self, x: Any) -> None:
        """Answer in the kind of ``x`` from now on."""
        self._seen = np.empty(0) if xp.namespace(x) is np else x.new_empty(0)

    def _answer(self, values: Any) -> Any:
        return alike(values, self._seen)


class UniformQuantizationObserverBase(ObserverBase):
    """Observers with a uniform grid, and their resolved settings."""

    def __init__(self, settings: Settings, is_dynamic: bool, extra: dict[str, Any]) -> None:
        super().__init__(settings.dtype, is_dynamic)
        if unknown := sorted(set(extra) - {"factory_kwargs"}):
            raise TorchTypeError(f"{type(self).__name__} has no argument {', '.join(unknown)}.")
        self.settings, self.qscheme, self.eps = settings, settings.qscheme, settings.eps
        self.quant_min, self.quant_max = settings.ends
        self.reduce_range, self.has_customized_qrange = settings.reduce_range, settings.custom

    def reset_min_max_vals(self) -> None:
        """Forget all data."""
        raise NotImplementedError


class ExtremesObserver(UniformQuantizationObserverBase):
    """Observers whose state is a running minimum and maximum."""

    def __init__(self, settings: Settings, is_dynamic: bool, extra: dict[str, Any]) -> None:
        super().__init__(settings, is_dynamic, extra)
        check_reduced(settings)
        self.rule = RunningMinMax()
        self.state = self.rule.start()

    @property
    def min_val(self) -> Array:
        """Running minimum: 0-d per tensor; (channels,), or empty before data, per channel."""
        return self._answer(self._shaped(self.state.lo))

    @property
    def max_val(self) -> Array:
        """Running maximum, shaped as ``min_val``."""
        return self._answer(self._shaped(self.state.hi))

    def forward(self, x_orig: Any) -> Any:
        x = xp.enter(x_orig)
        self.remember(x_orig)
        if xp.size(x):
            self.state = self._stepped(Batch(x, self._granularity(x)))
        return x_orig

    def calculate_qparams(self) -> tuple[Array, Array]:
        ends = (self._shaped(v) for v in (self.state.lo, self.state.hi))
        scale, zero_point = self.settings.qparams(*ends)
        return self._answer(scale), self._answer(zero_point)

    def reset_min_max_vals(self) -> None:
        self.state = self.rule.start()

    def _stepped(self, batch: Batch) -> Any:
        try:
            return self.rule.step(self.state, batch)
        except ValueError as error:
            raise TorchRuntimeError(
                f"A batch has {batch.shape[0]} channels, those before had {self.state.lo.size}.",
                "A channel lives on from batch to batch.",
                "Observe batches with one number of channels, or reset_min_max_vals() first.",
            ) from error

    def _granularity(self, x: Array) -> Granularity:
        return WHOLE

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return values.reshape(())


class MinMaxObserver(ExtremesObserver):
    """Smallest and largest element so far. PyTorch: MinMaxObserver."""

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
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
        check_scheme("MinMaxObserver", qscheme, PER_TENSOR)
        settings = resolved(dtype, qscheme, reduce_range, quant_min, quant_max, eps)
        super().__init__(settings, is_dynamic, kwargs)


class MovingAverageMinMaxObserver(ExtremesObserver):
    """Exponential average of batch extremes. PyTorch: MovingAverageMinMaxObserver."""

    def __init__(  # noqa: PLR0913  PyTorch's own arguments
        self,
        averaging_constant: float = 0.01,
        dtype: Any = QUINT8,
        qscheme: Any = AFFINE,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        check_scheme("MovingAverageMinMaxObserver", qscheme, PER_TENSOR)
        if averaging_constant != 1:
            check_static("A moving average over batches", is_dynamic)
        settings = resolved(dtype, qscheme, reduce_range, quant_min, quant_max, eps)
        super().__init__(settings, is_dynamic, kwargs)
        self.averaging_constant = averaging_constant
        self.rule = RunningAverage(averaging_constant)
